import { describe, expect, it } from 'vitest';
import {
  agentIdProblem,
  byKind,
  deadLedger,
  isLedgerLabel,
  LEDGER_LABELS,
  labelChange,
  leasedLedger,
  ledgerDiffers,
  waitingLedger,
} from './ledger.ts';
import { DEFAULT_POLICY } from './settings.ts';

describe('labels of the ledger', () => {
  it('are known without case', () => {
    expect(LEDGER_LABELS.map(({ name }) => name)).toEqual([
      'in-progress',
      'needs-review',
      'approved',
      'needs-human',
    ]);
    expect(isLedgerLabel('Needs-Review')).toBe(true);
    expect(isLedgerLabel('python')).toBe(false);
    for (const { color } of LEDGER_LABELS) expect(color).toMatch(/^[0-9a-f]{6}$/);
  });

  it('show the state of a task of each kind', () => {
    expect(byKind(waitingLedger)).toEqual({ implement: [], review: ['needs-review'], fix: [] });
    expect(byKind((kind) => leasedLedger(kind, 'hana'))).toEqual({
      implement: ['in-progress', 'hana'],
      review: ['needs-review', 'in-progress', 'hana'],
      fix: ['in-progress', 'hana'],
    });
    expect(byKind(deadLedger)).toEqual({
      implement: ['needs-human'],
      review: ['needs-review', 'needs-human'],
      fix: ['needs-human'],
    });
  });

  it('are removed where Banto wrote them and wants them no more, and people did not', () => {
    expect(labelChange(['A', 'b'], ['a', 'C', 'D'], ['c'])).toEqual({
      add: ['A', 'b'],
      remove: ['D'],
    });
  });

  it.each<[string, string[], string[], string[], string[], boolean]>([
    ['all is there', ['in-progress'], [], ['In-Progress', 'x'], [], false],
    ['one is missing', ['in-progress', 'hana'], [], ['in-progress'], [], true],
    ['one is left', [], ['Hana'], ['hana'], [], true],
    ['one that people put there is left', [], ['hana'], ['hana'], ['hana'], false],
    ['one is gone already', [], ['hana'], [], [], false],
  ])(
    'differ from what the issue shows: %s',
    (_title, wanted, written, present, theirs, differs) => {
      expect(ledgerDiffers(wanted, written, present, theirs)).toBe(differs);
    },
  );
});

describe('the id of an agent', () => {
  it.each<[string, string | null]>([
    ['hana', null],
    ['x'.repeat(50), null],
    ['x'.repeat(51), '1 to 50 letters'],
    ['', '1 to 50 letters'],
    ['-a', '1 to 50 letters'],
    ['a b', '1 to 50 letters'],
    ['Approved', 'a label that Banto writes itself'],
    ['p0', 'a priority label'],
    ['P2', 'a priority label'],
    ['p4', 'a priority label'],
    ['EPIC', 'a label that keeps agents away'],
    ['p9', null],
  ])('%j: %j', (id, problem) => {
    const found = agentIdProblem(id, DEFAULT_POLICY);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});
