import type { Law } from '../oracle/evidence.ts';
import { storyOf } from './records.ts';

/** L13. Formulas, unmapped columns, other tabs and rows outside the table never change, except by the allowance of L1. */
export const handsOff: Law = (evidence) => [
  ...evidence.foreign.map((text) => ({ law: 'L13', text })),
  ...evidence.writes.flatMap(({ side, person, field, before, after, wasFormula, isUnseen }) =>
    side === 'sheet' && wasFormula && !isUnseen
      ? [
          {
            law: 'L13',
            text: `the formula ${JSON.stringify(before)} of ${person} ${field} was overwritten with ${JSON.stringify(after)}${storyOf(evidence, person, field)}`,
          },
        ]
      : [],
  ),
];
