// Which formulas may fill cells around their own (V5).
import { expect, test } from 'vitest';
import { mayExpand } from '../../src/sheets/google/expansion.ts';

test.each([
  '=A2&" "&B2',
  '=VLOOKUP(A2,H:I,2,FALSE)',
  '=XLOOKUP(A2,H:H,I:I)',
  '=IFERROR(XLOOKUP($A2;Firms!$H$2:$H$99;Firms!I2:I99;"none");"")',
  "=XLOOKUP(A2,'My firms'!H:H,'My firms'!I:I)",
  '=INDEX(I:I,MATCH(A2,H:H,0))',
  '=REGEXEXTRACT(E2,"@(.+)$")',
  '=UPPER(REGEXEXTRACT(E2; "[^@]+"))',
  'ARRAYFORMULA(A2:A)',
])('V5: %s shows one value, and costs no larger second call', (formula) => {
  expect(mayExpand(formula)).toBe(false);
});

test.each([
  '=ARRAYFORMULA(A2:A&"x")',
  '=XLOOKUP(A2,H:H,I:K)',
  '=XLOOKUP(A2:A9,H:H,I:I)',
  '=ARRAYFORMULA(XLOOKUP(A2,H:H,I:I))',
  '=XLOOKUP(A2,H:H,I:I,{1,2})',
  '=INDEX(I:K,MATCH(A2,H:H,0))',
  '=INDEX(I:K,MATCH(A2,H:H,0),0)',
  '=INDEX(I:I,MATCH(A2:A9,H:H,0))',
  '=INDEX(A2:A&B2:B)',
  '=REGEXEXTRACT(A2,"(.+) (.+)")',
  '=REGEXEXTRACT(A2,B1)',
  '=SPLIT(REGEXEXTRACT(A2,".+")," ")',
  '={A2,B2}',
])('V5: %s may fill several cells', (formula) => {
  expect(mayExpand(formula)).toBe(true);
});
