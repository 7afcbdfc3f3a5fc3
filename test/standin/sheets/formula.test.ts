import { describe, expect, test } from 'vitest';
import { createTrial } from './support/standin.ts';

const values = [
  ['Ada', '=1+2*3-4/2', 10, '=C1*2'],
  ['Bob', '', 20, '=SUM(C1:C)'],
  [' c  d ', '', 30, '=A1&" & "&A2'],
];
const trialWith = (formula: string) => {
  const trial = createTrial({
    tabs: [
      { title: 'T', typed: true, values },
      { title: 'My tab', sheetId: 4, values: [[7]] },
    ],
  });
  trial.standin.person(trial.file.id).type('T!F1', formula);
  return trial;
};

describe('formulas', () => {
  test.each([
    ['=B1', 5],
    ['=D2', 60],
    ['=D3', 'Ada & Bob'],
    ['=2^3^1', 8],
    ['=-2^2', 4],
    ['=50%', 0.5],
    ['=(1+2)*3', 9],
    ['=C1=10', true],
    ['="a"="A"', true],
    ['=C1<>C2', true],
    ["='My tab'!A1+1", 8],
    ['=SUM(C1:C3, 5, "6")', 71],
    ['=AVERAGE(C1:C3)', 20],
    ['=MIN(C1:C3)+MAX(C1:C3)', 40],
    ['=COUNT(A1:C3)', 4],
    ['=COUNTA(A1:C3)', 7],
    ['=CONCATENATE(A1, " ", C1)', 'Ada 10'],
    ['=CONCAT(A1,A2)', 'AdaBob'],
    ['=UPPER(A1)&LOWER(A1)', 'ADAada'],
    ['=TRIM(A3)', 'c d'],
    ['=IF(C1>5,"big","small")', 'big'],
    ['=IF(C1>50,"big")', false],
    ['=IFERROR(1/0,"none")', 'none'],
    ['=AND(TRUE,C1>5)', true],
    ['=ROUND(2.345,2)', 2.35],
    ['=TEXT(0.5,"0%")', '50%'],
    ['=ROW()*10+COLUMN()', 16],
    ['=Z99', 0],
    ['=1/0', '#DIV/0!'],
    ['=A1+1', '#VALUE!'],
    ['=NOSUCH(1)', '#NAME?'],
    ['=nosuch', '#NAME?'],
    ['=#REF!+1', '#REF!'],
    ['=Gone!A1', '#REF!'],
    ['=F1', '#REF!'],
    ['=1+', '#ERROR!'],
    ['=(1', '#ERROR!'],
    ['=SUM(B1:B1)+IF(A1="Ada",1,0)', 6],
  ])('%s is %j', async (formula, value) => {
    expect(await trialWith(formula).values('T!F1')).toEqual([[value]]);
  });

  test('references follow their cells when rows and columns are inserted, deleted and moved', () => {
    const trial = trialWith("=SUM($C$1:C3)+'My tab'!A1+T!C2");
    const person = trial.standin.person(trial.file.id);
    const formula = (cell: string) => person.read(cell, 'FORMULA')[0]?.[0];
    person.insertRows('T', 2, 2);
    expect(formula('T!F1')).toBe("=SUM($C$1:C5)+'My tab'!A1+T!C4");
    person.deleteRows('T', 2);
    expect(formula('T!F1')).toBe("=SUM($C$1:C4)+'My tab'!A1+T!C3");
    person.moveColumns('T', 'C', 1, 'A');
    expect(formula('T!F1')).toBe("=SUM($A$1:A4)+'My tab'!A1+T!A3");
    person.renameTab('My tab', 'Other');
    expect(formula('T!F1')).toBe('=SUM($A$1:A4)+Other!A1+T!A3');
    person.deleteRows('T', 3);
    expect(formula('T!F1')).toBe('=SUM($A$1:A3)+Other!A1+T!#REF!');
    expect(person.read('T!F1')).toEqual([['#REF!']]);
  });

  test('a copied formula shifts, a cut one does not', () => {
    const trial = trialWith('=C1+$C$1');
    const person = trial.standin.person(trial.file.id);
    person.copyPaste('T!F1', 'T!F2:F3');
    expect(person.read('T!F1:F3', 'FORMULA')).toEqual([['=C1+$C$1'], ['=C2+$C$1'], ['=C3+$C$1']]);
    person.cutPaste('T!F3', 'T!G9');
    expect(person.read('T!F3:G9', 'FORMULA').at(-1)).toEqual(['', '=C3+$C$1']);
  });
});
