import { expect, test } from 'vitest';
import { openInitSides, robot, spreadsheetId, token } from '../../support/init-sides.ts';
import { startProgram } from '../../support/program.ts';
import { keys } from '../../support/person.ts';
import { answer, begin, beginProcess, configOf, type Sides } from './person.ts';

/* `leadsheet init` in a pseudo-terminal: what it finds at the service and in the sheet, and what it waits for. */

const { enter, down, interrupt } = keys;

test('over https: a wrong address is asked again before the key, and the sheet is shared while it waits', async () => {
  const sides = await openInitSides({ isShared: false, isSecure: true });
  const terminal = beginProcess(sides);
  await terminal.see('The address of the service');
  terminal.press('https://nothing.invalid', enter);
  await terminal.see(/no such host|could not be looked up/);
  await terminal.see('The address of the service');
  terminal.press(keys.erase, sides.serviceUrl, enter);
  await answer(terminal, sides, 'token', 'sheet');
  await terminal.see('The sheet is not shared yet');
  await terminal.see(`add ${robot} as an editor`);
  sides.file.sharedWith.set(robot, 'reader');
  await terminal.see('The sheet is shared, but read only');
  sides.file.sharedWith.set(robot, 'writer');
  await terminal.see('The sheet is shared, and may be edited');
  await answer(terminal, sides, 'header', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
});

test('the API is off, and then on; the clock is named where it is wrong', async () => {
  let isOff = true;
  const off = {
    error: {
      code: 403,
      message: 'Google Sheets API has not been used in project 1 before or it is disabled.',
      status: 'PERMISSION_DENIED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }],
    },
  };
  const sides = await openInitSides({
    google: (request) =>
      isOff && request.url.includes('/v4/spreadsheets') ? Response.json(off, { status: 403 }) : undefined,
  });
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'sheet');
  await terminal.see('The Google Sheets API is off');
  isOff = false;
  await terminal.see('The sheet is shared, and may be edited');
  await terminal.see('The row of the headers');
  terminal.press(interrupt);
  expect(await terminal.ended).toBe(130);

  const early = await openInitSides({ googleAheadMs: 3 * 3_600_000 });
  const other = begin(early);
  await answer(other, early, 'address', 'sheet');
  await other.see('The clock of this machine is wrong');
  await other.see('Give up');
  other.press(down, enter);
  await other.see('give the address of the other sheet');
  await answer(other, early, 'sheet', 'sheet');
  await other.see('The clock of this machine is wrong');
  await other.see('Give up');
  other.press(down, down, enter);
  await other.see('stopped: nothing was written');
  expect(await other.ended).toBe(130);
});

test('an address of the service without lists is asked again, with what was typed, and not the key', async () => {
  const sides = await openInitSides();
  const terminal = begin(sides);
  await terminal.see('The address of the service');
  terminal.press(`${sides.serviceUrl}/api`, enter);
  await answer(terminal, sides, 'token', 'token');
  await terminal.see('HTTP 404');
  await terminal.see('The address of the service');
  // The answer stands there to be corrected.
  terminal.press(...Array.from('/api', () => '\u007f'), enter);
  await answer(terminal, sides, 'token', 'key');
  await terminal.see('The address of the sheet');
  expect(terminal.raw()).not.toContain(token);
});

test('a wrong API key is told at once, and asked again', async () => {
  const sides = await openInitSides();
  const terminal = begin(sides);
  await terminal.see('The address of the service');
  terminal.press(enter);
  await terminal.see('the address is empty');
  await answer(terminal, sides, 'address', 'address');
  await terminal.see('The API key of the service');
  terminal.press(enter);
  await terminal.see('no token: the answer is empty');
  await terminal.see('The API key of the service');
  terminal.press('wrong-key', enter);
  await terminal.see('the service does not accept this API key');
  await answer(terminal, sides, 'token', 'token');
  await terminal.see('The service takes the API key: 2 lists');
  terminal.press(interrupt);
  await terminal.see('stopped: nothing was written');
  expect(await terminal.ended).toBe(130);
  expect(terminal.raw()).not.toContain('wrong-key');
});

test('a list that is not there: the file has the first run make it', async () => {
  const sides = await openInitSides();
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'header');
  await terminal.see('The list of contacts');
  terminal.press(down, enter);
  await terminal.see('The name of the new list');
  terminal.press(keys.erase, 'Leads of 2026', enter);
  await answer(terminal, sides, 'columns', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
  expect(configOf(sides).syncs.leads.contacts).toEqual({ list: 'Leads of 2026', create_list: true });
});

test('German headers, one of them doubled, below a title; formulas go one way', async () => {
  const sides = await openInitSides({
    values: [
      ['Unsere Kontakte'],
      ['Vorname', 'Nachname', 'Firma', 'E-Mail', 'Funktion', 'Telefon', 'Firma', 'Notiz'],
      ['Ann', 'Lee', 'Baltic', 'ann@baltic.test', '=A3&" "&B3', '', 'x', 'Tee'],
      ['Bob', 'Ray', 'Mills', 'bob@mills.test', '=A4&" "&B4', '', 'y', ''],
    ],
  });
  const person = sides.sheets.person(spreadsheetId);
  person.type('Leads!E3', '=A3&" "&B3');
  person.type('Leads!E4', '=A4&" "&B4');
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'sheet');
  await terminal.see('row 2 has "Vorname"');
  terminal.press(enter);
  await terminal.see('Columns with one header: "Firma" in C, "Firma" in G');
  await terminal.see('leave these columns alone');
  person.type('Leads!G2', 'Alte Firma');
  terminal.press(enter);
  await answer(terminal, sides, 'list', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
  expect(configOf(sides).syncs.leads).toMatchObject({
    sheet: { header_row: 2 },
    columns: {
      Vorname: 'first_name',
      Nachname: 'last_name',
      Firma: 'company_name',
      'E-Mail': 'email',
      Funktion: { field: 'position', direction: 'to_crm' },
    },
  });
  expect(Object.keys(configOf(sides).syncs.leads.columns)).not.toContain('Alte Firma');
});

test('an empty tab: the usual headers are proposed, and the first run writes them', async () => {
  const sides = await openInitSides({ values: [] });
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'sheet');
  await terminal.see('The tab is empty');
  await answer(terminal, sides, 'list', 'write');
  await terminal.see('Check: all is well');
  await terminal.see('3 rows are added to the sheet');
  expect(await terminal.ended).toBe(0);
  const { code } = await startProgram(['sync'], { cwd: sides.folder }).ended;
  expect(code).toBe(0);
  const [header = [], ...rows] = sides.sheets.person(spreadsheetId).read("'Leads'");
  expect(header.filter((text) => text !== '')).toEqual(
    expect.arrayContaining(['First name', 'Last name', 'Company', 'Email', 'Position', 'Contact ID']),
  );
  expect(rows).toHaveLength(3);
});

test("on the trial's data a person reaches a check that is well, and a plan", async () => {
  const sides = await openInitSides();
  const standin = startProgram(['standin', '--service-port', '0', '--sheets-port', '0']);
  const stood = Promise.withResolvers<RegExpExecArray>();
  standin.child.stdout.on('data', () => {
    const found = /(http:\S+)[\s\S]*Google Sheets listens on (http:\S+)/.exec(standin.printed.stdout);
    if (found) stood.resolve(found);
  });
  const [, serviceUrl = '', googleUrl = ''] = await stood.promise;
  const demo: Sides = { ...sides, serviceUrl, googleUrl };
  const terminal = begin(demo);
  await answer(terminal, demo, 'address', 'address');
  await terminal.see('The API key of the service');
  terminal.press('standin', enter);
  await answer(terminal, demo, 'key', 'key');
  await terminal.see('The address of the sheet');
  terminal.press('demo-spreadsheet-of-the-stand-in', enter);
  await terminal.see('The tab');
  terminal.press(enter);
  await answer(terminal, demo, 'header', 'write');
  await terminal.see('Check: all is well');
  await terminal.see('60 contacts are created in the service');
  await terminal.see('440 rows are added to the sheet');
  expect(await terminal.ended).toBe(0);
  expect(terminal.pressed()).toBeLessThanOrEqual(25);
  expect(configOf(demo).syncs.prospects).toMatchObject({
    match: ['email'],
    columns: {
      'First name': 'first_name',
      'Last name': 'last_name',
      Company: 'company_name',
      Email: 'email',
      Position: 'position',
    },
  });
});
