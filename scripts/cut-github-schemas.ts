// Cuts the few schemas that the GitHub double is checked against out of GitHub's OpenAPI description.
// The package `@octokit/openapi` is 385 MB: install it in a temporary folder, then
//   npm run cut-github-schemas -- <folder>/node_modules/@octokit/openapi/generated/api.github.com.json

import { readFileSync, writeFileSync } from 'node:fs';

const repo = '/repos/{owner}/{repo}';
const issue = `${repo}/issues/{issue_number}`;
const OPERATIONS = [
  'GET /app',
  'GET /app/installations/{installation_id}',
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /installation/repositories',
  'GET /rate_limit',
  'GET /user',
  `GET ${repo}`,
  `GET ${repo}/installation`,
  `GET ${repo}/branches/{branch}`,
  `GET ${repo}/collaborators/{username}/permission`,
  `GET ${repo}/commits/{ref}`,
  `GET ${repo}/git/ref/{ref}`,
  `POST ${repo}/git/refs`,
  `DELETE ${repo}/git/refs/{ref}`,
  `GET ${repo}/issues`,
  `POST ${repo}/issues`,
  `GET ${repo}/issues/comments`,
  `GET ${repo}/issues/comments/{comment_id}`,
  `PATCH ${repo}/issues/comments/{comment_id}`,
  `DELETE ${repo}/issues/comments/{comment_id}`,
  `GET ${issue}`,
  `PATCH ${issue}`,
  `GET ${issue}/comments`,
  `POST ${issue}/comments`,
  `GET ${issue}/dependencies/blocked_by`,
  `GET ${issue}/events`,
  `GET ${issue}/timeline`,
  `GET ${issue}/labels`,
  `POST ${issue}/labels`,
  `PUT ${issue}/labels`,
  `DELETE ${issue}/labels`,
  `DELETE ${issue}/labels/{name}`,
  `GET ${repo}/labels`,
  `POST ${repo}/labels`,
  `GET ${repo}/labels/{name}`,
  `PATCH ${repo}/labels/{name}`,
  `DELETE ${repo}/labels/{name}`,
  `GET ${repo}/pulls`,
  `POST ${repo}/pulls`,
  `GET ${repo}/pulls/{pull_number}`,
  `PATCH ${repo}/pulls/{pull_number}`,
  `GET ${repo}/pulls/{pull_number}/comments`,
  `GET ${repo}/pulls/{pull_number}/reviews`,
  `POST ${repo}/pulls/{pull_number}/reviews`,
];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Node = { [key: string]: Json };

const source = process.argv[2];
if (source === undefined) throw new Error('usage: cut-github-schemas.ts <api.github.com.json>');
const api = JSON.parse(readFileSync(source, 'utf8')) as Node;

const definitions: Record<string, Json> = {};
const PROSE =
  /^(description|title|examples?|default|externalDocs|deprecated|readOnly|writeOnly|x-.*)$/;

function at(node: Json | undefined, ...path: string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => (value as Node | undefined)?.[key], node);
}

function resolve(node: Node): Node {
  const ref = node['$ref'];
  return typeof ref === 'string' ? (at(api, ...ref.slice(2).split('/')) as Node) : node;
}

/** OpenAPI 3.0 as plain JSON Schema: no prose, `nullable` spelled out, references to `definitions`. */
function cut(node: Json): Json {
  if (Array.isArray(node)) return node.map(cut);
  if (node === null || typeof node !== 'object') return node;
  if (typeof node['$ref'] === 'string') {
    const name = node['$ref'].slice('#/components/schemas/'.length);
    if (!(name in definitions)) {
      definitions[name] = null;
      definitions[name] = cut(at(api, 'components', 'schemas', name) as Json);
    }
    return { $ref: `#/definitions/${name}` };
  }
  const out: Node = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === 'properties') {
      out[key] = Object.fromEntries(
        Object.entries(value as Node).map(([name, schema]) => [name, cut(schema)]),
      );
    } else if (key === 'enum' || key === 'required') out[key] = value;
    else if (key !== 'nullable' && !PROSE.test(key)) out[key] = cut(value);
  }
  if (node['nullable'] !== true) return out;
  if (Array.isArray(out['anyOf'])) return { ...out, anyOf: [...out['anyOf'], { type: 'null' }] };
  if (typeof out['type'] !== 'string' || 'oneOf' in out || 'anyOf' in out || 'allOf' in out) {
    return { anyOf: [out, { type: 'null' }] };
  }
  if (Array.isArray(out['enum']) && !out['enum'].includes(null))
    out['enum'] = [...out['enum'], null];
  return { ...out, type: [out['type'], 'null'] };
}

function content(node: Json | undefined): Json {
  const schema = at(node, 'content', 'application/json', 'schema');
  return schema === undefined ? null : cut(schema);
}

const operations: Record<string, Json> = {};
for (const operation of OPERATIONS) {
  const [method = '', path = ''] = operation.split(' ');
  const found = at(api, 'paths', path, method.toLowerCase());
  if (found === undefined) throw new Error(`GitHub's description has no ${operation}`);
  const responses = Object.entries(at(found, 'responses') as Node).map(
    ([status, response]) => [status, content(resolve(response as Node))] as const,
  );
  const body = at(found, 'requestBody');
  operations[operation] = {
    notifies: at(found, 'x-github', 'triggersNotification') === true,
    request: body === undefined ? null : content(resolve(body as Node)),
    responses: Object.fromEntries(responses),
  };
}

const sorted = Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
const version = at(api, 'info', 'version') ?? null;
const target = new URL('../github-double/shapes/github-schemas.json', import.meta.url);
writeFileSync(target, `${JSON.stringify({ version, operations, definitions: sorted })}\n`);
console.log(`${OPERATIONS.length} operations, ${Object.keys(sorted).length} schemas`);
