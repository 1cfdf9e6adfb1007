import { describe, expect, it } from 'vitest';
import { meetUnfinished, ON_UNFINISHED } from './unfinished.ts';

describe('a request by an agent that still holds a task', () => {
  it.each(ON_UNFINISHED)('is answered with it when the agent was never told of it (%s)', (how) => {
    expect(meetUnfinished({ answered: false, kind: 'implement' }, how)).toBe('answer');
    expect(meetUnfinished({ answered: false, kind: 'review' }, how)).toBe('answer');
  });

  it('means what the request says when the agent was told of it', () => {
    for (const how of ON_UNFINISHED) {
      expect(meetUnfinished({ answered: true, kind: 'implement' }, how)).toBe(how);
    }
    expect(meetUnfinished({ answered: true, kind: 'review' }, 'complete')).toBe('fail');
    expect(meetUnfinished({ answered: true, kind: 'review' }, 'resume')).toBe('resume');
  });
});
