import { describe, expect, it } from 'vitest';
import { changeSetting } from './setting.ts';

describe('a setting', () => {
  it.each([
    ['set', null, { a: 1 }, '{"a":1}'],
    ['set to something else', '1', 2, '2'],
    ['set to false, which is a value', 'true', false, 'false'],
    ['taken away', '1', null, null],
    ['taken away by a value that is none', '1', undefined, null],
  ])('that is %s is told of with its value', (_how, before, value, json) => {
    const change = changeSetting('config:review:delay', before, value, { by: 'mio' });
    const fact = { type: 'setting_changed', name: 'config:review:delay', value: value ?? null };
    expect(change).toEqual({ json, pauses: null, fact: { ...fact, by: 'mio' } });
  });

  it.each([
    ['1', 1],
    [null, null],
    [null, undefined],
  ])('that is %s already changes nothing', (before, value) => {
    expect(changeSetting('config:review:delay', before, value)).toBeNull();
  });

  it('that is a secret is told of without its value', () => {
    const change = changeSetting('tokens:1', null, { hash: 'abc' });
    expect(change?.json).toBe('{"hash":"abc"}');
    expect(change?.fact).toEqual({ type: 'setting_changed', name: 'tokens:1', value: null });
  });

  it.each([
    [true, true],
    [false, false],
    [null, false],
    ['true', false],
  ])('that pauses somebody says whom: %s', (value, paused) => {
    const change = changeSetting('flags:maintenance:octo/park', '0', value);
    expect(change?.pauses).toEqual({ name: 'octo/park', paused });
  });

  it('that pauses everybody pauses nobody by name', () => {
    expect(changeSetting('flags:maintenance', null, true)?.pauses).toBeNull();
  });
});
