// One MCP server for every transport and every version of the protocol: it has the tools and an API to call.

import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { BantoError } from '../../core/errors.ts';
import { type Api, TOOLS, type ToolResult } from './tools.ts';

const INSTRUCTIONS =
  'Banto hands out work. Call request_task to get a task, work on it, call report_progress while you work, and end with complete_task, fail_task or release_task. A message that says the lease was lost means: stop working on that task.';

/** A refusal is an answer for the model: what is wrong, and what to do. */
function refusal(error: unknown) {
  if (!(error instanceof BantoError)) throw error;
  const text =
    error.code === 'lease_lost'
      ? 'Stop working on this task: you do not hold it any more. Somebody else may have it, or it was cancelled. Do not push or report anything for it. Call request_task for another one.'
      : error.message;
  return { isError: true, content: [{ type: 'text' as const, text }] };
}

function toContent({ structured, text }: ToolResult) {
  return { content: [{ type: 'text' as const, text }], structuredContent: structured };
}

export function createMcpServer(api: Api, version: string): McpServer {
  const server = new McpServer(
    { name: 'banto', title: 'Banto', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  for (const tool of TOOLS) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: fromJsonSchema(plain(tool.input)),
        outputSchema: fromJsonSchema(plain(tool.output)),
        annotations: { readOnlyHint: tool.readOnly, destructiveHint: false, openWorldHint: false },
      },
      async (input, context) => {
        try {
          return toContent(await tool.run(api, input as never, context.mcpReq.signal));
        } catch (error) {
          return refusal(error);
        }
      },
    );
  }
  return server;
}

/** A schema without what TypeBox keeps for itself. */
function plain(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
}
