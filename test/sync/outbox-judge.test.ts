import { describe, expect, test } from 'vitest';
import type { RecipientAnswer, Sender } from '../../src/sync/outbox/input.ts';
import { ann, hourMs, idOf, input, now, planOf, row, saidBy, sales, saysOf, sent, waiting } from './outbox-support.ts';

/* P4, as the service says; P2: contact and content, however the contact is named. */

const said = saidBy('Hi');
const hi = row(1, { text: 'Hi' });
const key = JSON.stringify([ann, ['text', 'Hi']]);
const byMail = { text: 'Hi', cells: ['ann@firm.io', 'Sales', 'Hi'] };
const { senders } = input([]).answers as { senders: readonly Sender[] };
const here: RecipientAnswer = { kind: 'here', uuid: ann, name: 'Ann' };
const answers = { senders, recipients: new Map([ann, 'ann@firm.io'].map((asked) => [asked, here])) };

describe('P4: what has to be asked', () => {
  test.each([
    ['the contact', { ...answers, recipients: new Map() }, { recipients: [ann], senders: false }],
    ['the senders', { recipients: answers.recipients }, { recipients: [], senders: true }],
    ['both', { recipients: new Map() }, { recipients: [ann], senders: true }],
    ['nothing', answers, { recipients: [], senders: false }],
  ])('%s', (what, known, questions) => {
    const plan = planOf([hi], { 1: waiting() }, { answers: known });
    expect([plan.questions, plan.due.length]).toEqual([questions, what === 'nothing' ? 1 : 0]);
    expect(plan.problems).toEqual([]);
  });

  test('nothing if no row says yes', () => {
    const { questions } = planOf([], {}, { answers: { recipients: new Map() } });
    expect(questions).toEqual({ recipients: [], senders: false });
  });
});

describe('P4: the sender', () => {
  const one = (number: number, ...names: readonly string[]) => ({ uuid: idOf(number), names, isEnabled: true });
  const known: readonly Sender[] = [
    one(801, 'Sales', 'Max Muster'),
    one(802, 'Twin'),
    one(803, 'Twin'),
    one(804, idOf(801)),
    { ...one(805, 'Gone'), isEnabled: false },
    one(806),
  ];
  const withSender = (name: string) =>
    planOf(
      [row(1, { cells: [ann, name, 'Hi'] })],
      { 1: waiting() },
      { answers: { ...answers, senders: known }, nearest: (word) => (word === 'Salez' ? 'Sales' : undefined) },
    );

  test.each([
    ['a name', 'Sales', 801],
    ['any of its names, in any case', ' max muster ', 801],
    ['a uuid, in any case, though another is called so', idOf(801).toUpperCase(), 801],
    ['a uuid that has no name', idOf(806), 806],
  ])('is told by %s', (_what, name, number) => {
    const plan = withSender(name);
    expect(plan.due.map(({ payload }) => payload['sender_profile_uuid'])).toEqual([idOf(number)]);
    expect(plan.due[0]!.change).toMatchObject({ from: number === 801 ? 'Sales' : idOf(806) });
  });

  test.each([
    ['Twin', 'several sender profiles are called "Twin": write the uuid'],
    ['Gone', 'the sender profile "Gone" is disabled'],
    ['Salez', 'no such sender profile: "Salez", did you mean "Sales"?'],
    ['Zed', 'no such sender profile: "Zed"'],
  ])('%s: nothing is sent, and the row says why', (name, reason) => {
    expect(saysOf(withSender(name))).toEqual([`refused: ${reason}`, []]);
  });

  test('that is unknown gets the most similar name of all sender profiles', () => {
    const asked: unknown[] = [];
    const nearest = (word: string, words: readonly string[]) => void asked.push([word, words]);
    const given = { answers: { ...answers, senders: known.slice(0, 2) }, nearest };
    planOf([row(1, { cells: [ann, 'Zed', 'Hi'] })], { 1: waiting() }, given);
    expect(asked).toEqual([['Zed', ['Sales', 'Max Muster', 'Twin']]]);
  });
});

describe('P4: what is refused', () => {
  const none = { ...answers, recipients: new Map([[ann, { kind: 'none' } as const]]) };

  test('is stored for an hour, so that the service is not asked in every run', () => {
    const plan = planOf([hi], { 1: waiting({ said }) }, { answers: none });
    expect(saysOf(plan)).toEqual(['refused: the contact does not exist', []]);
    const reason = { message: 'the contact does not exist', rule: 'P4', retryAt: now + hourMs };
    const refused = { state: 'refused', at: now - 9000, run: '', said, ...reason };
    expect(plan.messages).toStrictEqual(new Map([[idOf(1), refused]]));
  });

  test('keeps what was sent under its ID, and when', () => {
    const kept = { calls: [now - 5], before: ['older'], uuid: idOf(71) };
    const plan = planOf([hi], { 1: waiting({ said, ...kept }) }, { answers: none });
    expect(plan.messages.get(idOf(1))).toMatchObject(kept);
  });

  test('is not stored for a row without an ID, and is shown in a plan', () => {
    const plan = planOf([row(1, { id: '' })], {}, { answers: none, isDryRun: true });
    expect([saysOf(plan), plan.messages.size]).toEqual([['refused: the contact does not exist', []], 0]);
  });
});

describe('P2: the same content to the same contact', () => {
  test('that was sent is not sent again, however the contact is named; the contact is stored', () => {
    const plan = planOf([row(1, byMail)], { 1: waiting(), 5: sent({ said, key }) }, { answers });
    const remedy = `change it, or say leadsheet retry ${idOf(1)} --yes`;
    const says = `looks the same as the message of 2026-11-21 09:00Z: ${remedy}`;
    expect(saysOf(plan)).toEqual([`refused: ${says}`, []]);
    expect(plan.messages.get(idOf(1))).toMatchObject({ message: says, rule: 'P2', name: 'Ann' });
  });

  test('in two rows that say yes is sent once', () => {
    const plan = planOf([hi, row(2, byMail)], { 1: waiting(), 2: waiting() }, { answers });
    const remedy = `change it, or say leadsheet retry ${idOf(2)} --yes`;
    expect(saysOf(plan, 2)).toEqual([`refused: looks the same as another row that is sent now: ${remedy}`, [1]]);
    const nameless = [row(1, { id: '', text: 'Hi' }), row(2, { id: '', text: 'Hi' })];
    const dry = planOf(nameless, {}, { isDryRun: true });
    expect(saysOf(dry, 2)).toEqual(['refused: looks the same as another row that is sent now: change it', [1]]);
  });

  test('is sent if a person asked for it, and to another contact', () => {
    const rows = [row(1, byMail), row(2, { cells: ['bob@firm.io', 'Sales', 'Hi'] })];
    const bob = { kind: 'here', uuid: idOf(901), name: 'Bob' } as const;
    const known = { senders, recipients: new Map([...answers.recipients, ['bob@firm.io', bob]]) };
    const ledger = { 1: waiting({ isAgain: true }), 2: waiting(), 5: sent({ said, key }) };
    expect(planOf(rows, ledger, { answers: known }).due.map((due) => due.row)).toEqual([1, 2]);
  });

  test('a row is no copy of itself', () => {
    expect(saysOf(planOf([hi], { 1: waiting({ before: [key] }) }))).toEqual([null, [1]]);
  });
});

describe('what is sent', () => {
  const names = ['lead_uuid', 'sender_profile_uuid', 'subject', 'text', 'cc'];
  const fields = names.map((name) => ({ name, header: name, isList: name === 'cc' }));
  const cells = ['ann@firm.io', 'Sales', null, 'Hi', 'x@firm.io; y@firm.io'];

  test('P1: all that the row says and nothing else, with the uuids of contact and sender; names for people', () => {
    const [due] = planOf([row(1, { cells })], { 1: waiting() }, { fields, answers }).due;
    const why = { rule: 'P1', reason: 'Send says yes' };
    const part = (field: string, after: string) => ({ field, before: null, after, ...why });
    const digest = JSON.stringify([
      ['cc', 'x@firm.io; y@firm.io'],
      ['lead_uuid', 'ann@firm.io'],
      ['sender_profile_uuid', 'Sales'],
      ['text', 'Hi'],
    ]);
    expect(due).toStrictEqual({
      id: idOf(1),
      row: 1,
      payload: { lead_uuid: ann, sender_profile_uuid: sales, text: 'Hi', cc: ['x@firm.io', 'y@firm.io'] },
      message: { state: 'waiting', at: now, run: '', said: digest, recipient: 'ann@firm.io', to: ann, name: 'Ann' },
      said: digest,
      key,
      change: {
        side: 'crm',
        op: 'send',
        uuid: ann,
        row: 1,
        fields: [
          part('lead_uuid', ann),
          part('sender_profile_uuid', sales),
          part('text', 'Hi'),
          part('cc', 'x@firm.io, y@firm.io'),
        ],
        to: 'Ann',
        from: 'Sales',
        ...why,
      },
    });
  });

  test('a plan that is not carried out names a row without an ID by its number', () => {
    expect(planOf([row(1, { id: '' })], {}, { isDryRun: true }).due.map(({ id }) => id)).toEqual(['row:1']);
  });
});
