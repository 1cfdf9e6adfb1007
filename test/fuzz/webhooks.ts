// Deliveries: signed and not, of every event and of none, with payloads that lack what others have.

import { createHmac } from 'node:crypto';
import type { Dice } from './dice.ts';
import { brokenJson, hostileText, hostileValue } from './hostile.ts';
import type { RawRequest } from './http.ts';

const EVENTS = [
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'push',
  'label',
  'ping',
  'installation',
  'star',
  '__proto__',
  'constructor',
  '',
];
const ACTIONS = ['opened', 'edited', 'deleted', 'labeled', 'closed', 'created', 'transferred'];

function payloadOf(dice: Dice, size: number, repository: string): unknown {
  const item = {
    number: 1 + dice.int(1000),
    title: 'A title',
    body: 'A body',
    state: 'open',
    html_url: 'https://github.example/1',
    node_id: `node-${dice.int(1000)}`,
    labels: [{ name: 'python' }],
    user: { login: 'ann' },
    created_at: '2026-11-15T20:17:00Z',
    updated_at: '2026-11-15T20:17:00Z',
    head: { ref: 'topic', repo: { full_name: repository } },
    base: { ref: 'main', repo: { full_name: repository } },
    merged_at: null,
  };
  const payload: Record<string, unknown> = {
    action: dice.pick(ACTIONS),
    repository: { full_name: repository },
    issue: { ...item },
    pull_request: { ...item },
    label: { name: 'python' },
    changes: { name: { from: 'old' } },
  };
  const spoiled = dice.pick(['issue', 'pull_request', 'label', 'changes', 'action', 'repository']);
  const inside = payload[spoiled];
  if (typeof inside === 'object' && inside !== null && dice.chance(0.7)) {
    const fields = inside as Record<string, unknown>;
    fields[dice.pick(Object.keys(fields))] = hostileValue(dice, size);
  } else {
    payload[spoiled] = hostileValue(dice, size);
  }
  return dice.chance(0.05) ? hostileValue(dice, size) : payload;
}

function signatureOf(dice: Dice, body: Buffer, secret: string): string | null {
  const right = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  switch (dice.int(8)) {
    case 0:
      return null;
    case 1:
      return hostileText(dice, 300);
    case 2:
      return right.slice(0, dice.int(right.length));
    case 3:
      return `sha256=${'0'.repeat(64)}`;
    default:
      return right;
  }
}

const line = (text: string) =>
  Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e\x80-\xff]/g, '');

export function delivery(dice: Dice, size: number, repository: string, secret: string): RawRequest {
  const text = JSON.stringify(payloadOf(dice, size, repository));
  const body = dice.chance(0.1) ? brokenJson(dice, size, text) : Buffer.from(text);
  const signature = signatureOf(dice, body, secret);
  const lines = [
    'POST /api/v1/webhooks/github HTTP/1.1',
    `Host: ${dice.chance(0.9) ? '127.0.0.1' : 'tunnel.example'}`,
    `Content-Type: ${dice.chance(0.9) ? 'application/json' : line(hostileText(dice, 50))}`,
    `Content-Length: ${body.length}`,
    `X-GitHub-Event: ${dice.chance(0.9) ? dice.pick(EVENTS) : line(hostileText(dice, 100))}`,
    `X-GitHub-Delivery: ${dice.int(1000)}`,
  ];
  if (signature !== null) lines.push(`X-Hub-Signature-256: ${line(signature)}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return { bytes: Buffer.concat([head, body]), method: 'POST', broken: false };
}
