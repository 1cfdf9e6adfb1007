// The lines that a claim puts on rows, unfolded, are what core decides for the same claim.

import { describe, expect, it } from 'vitest';
import { ISSUE, NOW, past, task } from '../../../../test/support/decide.ts';
import { claimTask } from '../../../core/decide/claim.ts';
import { noLedger } from '../../../core/rows/ledger-row.ts';
import type { ClaimInput } from '../../../core/store.ts';
import {
  decodeFiled,
  decodeHead,
  decodeLedgerText,
  encodeFiled,
  encodeHead,
  encodeLedgerText,
} from './row-codec.ts';

const INPUT: ClaimInput = {
  agentId: 'a1',
  capabilities: [],
  requestId: 'a request\nwith "hostile" text',
  token: 'secret',
  leaseSeconds: 60,
  groups: [],
  registryVersion: 1,
  writeLockMs: 30_000,
};

const rows = {
  'a plain task': task(),
  'a review': task({ id: 'octo~park~7~review.2', authors: ['a0'] }),
  'a fix on a strange branch': task({ id: 'octo~park~7~fix.1', branch: 'a\tb\nc "d"' }),
  'one with a past': task({ fence: 9, attempts: 2, past: [past(), past({ fence: 9 })] }),
};
const ledgers = {
  'no ledger': noLedger(ISSUE),
  'a ledger with writes': claimTask(task({ id: 'octo~park~7~fix.3' }), noLedger(ISSUE), INPUT, {
    now: NOW - 5,
    nextPlace: () => 1,
  }).answer.ledger,
};

describe.each(Object.entries(rows))('%s', (_name, row) => {
  it.each(Object.entries(ledgers))('on %s', (_ledger, before) => {
    const decision = claimTask(row, before, INPUT, { now: NOW, nextPlace: () => 1 });
    const { lease } = decision.answer.row;
    const filed = encodeFiled(row, '12', 5, 'lock');
    const { token, agentId, fence, seconds, leasedAt, expiresAt } = lease;
    const request = JSON.stringify(INPUT.requestId);
    const line = `L${expiresAt} ${token} ${agentId} ${fence} ${seconds} ${leasedAt} ${request}`;
    const unfolded = decodeFiled(row.id, `${line}\n${filed.text}`);
    expect(unfolded.row).toEqual(decision.answer.row);
    expect([unfolded.bucket, unfolded.born]).toEqual(['12', 5]);

    const branch = JSON.stringify(row.branch);
    const onLedger = `B${NOW} ${fence} ${INPUT.writeLockMs} ${row.id} ${agentId} ${branch}`;
    const text = before.writes.length === 0 ? '' : encodeLedgerText(before).text;
    expect(decodeLedgerText(ISSUE, `${onLedger}\n${text}`).row).toEqual(decision.answer.ledger);
  });

  it('is the same after it was written down', () => {
    expect(decodeFiled(row.id, encodeFiled(row, '3', 7, '7').text).row).toEqual(row);
  });
});

it('the head of an issue keeps its tasks, and leaves out when it was seen', () => {
  const row = {
    ...ISSUE,
    state: 'open' as const,
    updatedAt: 5,
    seenAt: 9,
    matchLabels: ['a b'],
    labels: ['a b', 'c'],
    dependsOn: [3],
  };
  const head = encodeHead(row, 1, 'fingerprint', ['octo~park~7~implement.1']);
  expect(decodeHead(ISSUE, head.text)).toEqual({ ...head, row: { ...row, seenAt: 0 } });
  expect(encodeHead({ ...row, seenAt: 10 }, 1, 'fingerprint', head.tasks).text).toBe(head.text);
});
