// When a run must read its tab: by example, and for any case.
import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { type LookCase, whyLook } from '../../src/sync/must-look.ts';

const minute = 60_000;
const idle: LookCase = {
  last: { at: 0, mark: '7' },
  isWanted: false,
  now: minute,
  fullLookMs: 5 * minute,
  hint: 'unmoved',
};

describe('W14: a hint spares a look only if nothing speaks for one', () => {
  test.each<{ what: string; given: Partial<LookCase>; why: ReturnType<typeof whyLook> }>([
    { what: 'nothing moved', given: {}, why: undefined },
    { what: 'the spreadsheet moved', given: { hint: 'moved' }, why: 'moved' },
    { what: 'the host gave no answer', given: { hint: 'unknown' }, why: 'no hint' },
    { what: 'no mark was taken before the last look', given: { last: { at: 0 } }, why: 'no mark' },
    { what: 'there was no look', given: { last: undefined }, why: 'never looked' },
    { what: 'W15: the tab went unread for the whole time', given: { now: 5 * minute }, why: 'full look' },
    { what: 'W15: one millisecond less', given: { now: 5 * minute - 1 }, why: undefined },
    { what: 'W15: the clock was set back', given: { now: -1 }, why: 'full look' },
    { what: 'W14: a person or a hook asked', given: { isWanted: true }, why: 'wanted' },
  ])('$what', ({ given, why }) => {
    expect(whyLook({ ...idle, ...given })).toBe(why);
  });
});

const at = fc.integer({ min: -10 * minute, max: 10 * minute });
const cases = fc.record({
  last: fc.option(fc.record({ at, mark: fc.option(fc.string(), { nil: undefined }) }), { nil: undefined }),
  isWanted: fc.boolean(),
  now: at,
  fullLookMs: fc.integer({ min: 1, max: 20 * minute }),
  hint: fc.constantFrom('unmoved', 'moved', 'unknown' as const),
});

describe('for any case', () => {
  test('W14: a run that does not look has a mark, an unmoved hint, and nobody who asked', () => {
    fc.assert(
      fc.property(cases, (given) => {
        fc.pre(whyLook(given) === undefined);
        expect(given).toMatchObject({ isWanted: false, hint: 'unmoved' });
        expect(given.last?.mark).toBeDefined();
      }),
    );
  });

  test('W15: the tab is never unread for longer than the full look, whatever the hint says', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 0, max: 20 * minute }), (given, moreMs) => {
        const last = { at: given.now - given.fullLookMs - moreMs, mark: '7' };
        expect(whyLook({ ...given, last })).toBeDefined();
      }),
    );
  });

  test('W14: what is known before anything is asked stays a reason once it is answered', () => {
    fc.assert(
      fc.property(cases, ({ hint, ...before }) => {
        const early = whyLook(before);
        fc.pre(early !== undefined);
        expect(whyLook({ ...before, hint })).toBe(early);
      }),
    );
  });
});
