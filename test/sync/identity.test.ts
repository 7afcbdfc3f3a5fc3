import { describe, expect, test } from 'vitest';
import { type Link, rowKey } from '../../src/sync/record/base.ts';
import { noAnswers, type PlanInput } from '../../src/sync/input.ts';
import { plan } from '../../src/sync/plan.ts';
import {
  type Case,
  seen,
  elsewhere,
  gone,
  here,
  mapping,
  newContact,
  newRow,
  noon,
  only,
  packedOf,
  person,
  type PersonParts,
  scene,
  type SceneMore,
  tell,
  unanswered,
  uuidOf,
  type Values,
  valuesOf,
  type Who,
  wanted,
} from './support.ts';

/** The row of `who` with its ID cell emptied, or with another ID in it. */
const withId = (who: Who, id: string): PersonParts => person(who, { row: { id } });
const copyOf = (who: Who, sheet = {}): PersonParts => ({
  ...person(who, { base: null, crm: null, sheet, row: { id: uuidOf(who) } }),
});
/** The edited row of `who` with its ID cell emptied, and its contact, whose profile is another one by now. */
const gaveUpProfile = (who: Who, sheet: Values): PersonParts =>
  person(who, { crm: { network_id: 'handle-new' }, sheet, row: { id: '' } });
const strayed = (who: Who, stray: object) =>
  new Map([[rowKey({ values: packedOf(valuesOf(who)) }), { since: noon - 60_000, ...stray }]]);

const cases: readonly Case[] = [
  {
    name: 'I1: a row is known by its ID, wherever people sorted it to',
    input: { ...sorted([person('a', { sheet: { position: 'CEO' } }), person('b'), person('c')]) },
    changes: ['update a: position CTO -> CEO [merge]'],
  },
  {
    name: 'I1, I9: a lost link is rebuilt from the ID alone',
    input: scene([
      person('a', { base: null, crm: { 'custom:segment': undefined }, sheet: { 'custom:segment': null } }),
    ]),
  },
  {
    name: 'I2: a contact without a row gets one',
    input: scene([person('a'), newContact('b')]),
    changes: ['append b [merge]'],
  },
  {
    name: 'I2: a row without an ID is linked to the one contact that holds its key, and merged without a base',
    input: scene([newContact('a', { position: 'CEO' }), newRow('a', { position: null })]),
    changes: ['update a: custom:segment unknown -> gold [M4]', 'set a id=a: position blank -> CEO [merge]'],
  },
  {
    name: 'I2: the keys are tried in their order; the profile decides before the e-mail',
    input: scene([newContact('a'), newContact('b'), newRow('a', { email: 'b@acme.test' })]),
    changes: ['update a: custom:segment unknown -> gold [M4]', 'set a id=a [I2]', 'append b [merge]'],
    problems: ['conflict a/email [M1]'],
  },
  {
    name: 'I2: a row that matches several contacts is quarantined, and none of them gets a row',
    input: scene([
      newContact('a', { network_id: null, email: 'same@acme.test' }),
      newContact('b', { network_id: null, email: 'same@acme.test' }),
      newRow('c', { network_id: null, email: 'same@acme.test' }),
    ]),
    problems: ['quarantined row 4 [I2]'],
    says: `matches 2 contacts: ${uuidOf('a')}, ${uuidOf('b')}`,
  },
  {
    name: 'I2: of many matching contacts three are named, and the number of the others',
    input: scene([
      ...(['a', 'b', 'c', 'd'] as const).map((who) => newContact(who, { network_id: null, email: 'same@acme.test' })),
      newRow('e', { network_id: null, email: 'same@acme.test' }),
    ]),
    problems: ['quarantined row 6 [I2]'],
    says: `matches 4 contacts: ${uuidOf('a')}, ${uuidOf('b')}, ${uuidOf('c')} and 1 more`,
  },
  {
    name: 'I2: a row that matches a contact with a row is quarantined, and names that row',
    input: scene([person('a'), newRow('a')]),
    problems: ['quarantined row 3 [I2]'],
    says: `matches ${uuidOf('a')}, already in row 2`,
  },
  {
    name: 'I2: after an incremental pull that is known without asking',
    input: scene([person('a'), newRow('a')], { crm: { coverage: 'changes' } }),
    problems: ['quarantined row 3 [I2]'],
    says: `matches ${uuidOf('a')}, already in row 2`,
  },
  {
    name: 'I2: before a contact is created the service is asked whether it exists',
    input: scene([newRow('a')]),
    problems: ['waiting row 2 [I2]'],
    questions: ['row 2'],
  },
  {
    name: 'I2: a row whose lookup finds no contact is created',
    input: scene([newRow('a')], { asked: { 2: gone } }),
    changes: ['create row 2 [I2]'],
  },
  {
    name: 'I2: a row whose lookup finds a contact outside the scope is quarantined, and names the list',
    input: scene([newRow('a')], { asked: { 2: elsewhere('b') } }),
    problems: ['quarantined row 2 [I2]'],
    says: 'is in list Old, not in list Prospects',
  },
  {
    name: 'I2: with move_to_list, a contact outside the scope is moved here',
    input: scene([newRow('a')], { asked: { 2: elsewhere('b') }, mapping: { ...mapping, moveToList: true } }),
    changes: ['create row 2 moving b [I2]'],
  },
  {
    name: 'I2: a row whose lookup finds a contact in scope that the scan did not show is linked to it',
    input: scene([newRow('a', { 'custom:segment': null })], { asked: { 2: here(newContact('a')) } }),
    changes: ['set a id=a [I2]'],
  },
  {
    name: 'I2: a row whose lookup finds a contact with a row is quarantined',
    input: scene([person('a', { sheet: { email: 'new@acme.test' } }), newRow('b')], {
      asked: { 3: here(person('a')) },
    }),
    changes: ['update a: email a@acme.test -> new@acme.test [merge]'],
    problems: ['quarantined row 3 [I2]'],
  },
  {
    name: 'I2: a row whose lookup failed is not created',
    input: scene([newRow('a')], { asked: { 2: unanswered } }),
    problems: ['waiting row 2 [I2]'],
    says: 'could not be looked up: the service did not answer',
  },
  {
    name: 'I2: a row without a key waits, and says what is missing',
    input: scene([newRow('a', only({ first_name: 'Ann' }))]),
    problems: ['waiting row 2 [I2]'],
    says: 'has no match key yet: fill network_id, or email, or name with company_name',
  },
  {
    name: 'I2, I8: a row that has a placeholder address alone waits, and says why it does not count',
    input: scene([newRow('a', only({ first_name: 'Ann', email: 'noreply@example.com' }))]),
    problems: ['waiting row 2 [I2]'],
    says: 'has no match key yet: fill network_id, or email, or name with company_name (noreply@example.com is a placeholder address, which identifies no contact)',
  },
  {
    name: 'I2, V4: a row whose key is unreadable waits, and names the cell',
    input: scene([newRow('a', only({ email: undefined }), { unreadable: { Email: '#N/A' } })]),
    problems: ['waiting row 2 [I2]'],
    says: 'its contact is not known: Email shows #N/A; repair the cell',
  },
  {
    name: 'I2, W10: a new row waits for the settle delay',
    input: scene([newRow('a')], { waitsToSettle: true, asked: { 2: gone } }),
    problems: ['waiting row 2 [W10]'],
  },
  {
    name: 'I2, W10: a new row older than the settle delay is created',
    input: scene([newRow('a')], { waitsToSettle: true, asked: { 2: gone }, strays: strayed('a', {}) }),
    changes: ['create row 2 [I2]'],
  },
  {
    name: 'I3: a row for which the service answered another person sends nothing more',
    input: scene([newRow('a')], {
      asked: { 2: gone },
      strays: strayed('a', { mistakenFor: uuidOf('f'), mistake: 'it has a row already' }),
    }),
    problems: ['quarantined row 2 [I3]'],
    says: `the service answered another contact, ${uuidOf('f')}: it has a row already`,
  },
  {
    name: 'W5: a refused new row is not created before its pause is over',
    input: scene([newRow('a')], { asked: { 2: gone }, strays: strayed('a', refusal(noon + 1)) }),
    problems: ['refused row 2 [W5]'],
    says: 'bad e-mail',
  },
  {
    name: 'W5: a refused new row is created when the pause is over',
    input: scene([newRow('a')], { asked: { 2: gone }, strays: strayed('a', refusal(noon)) }),
    changes: ['create row 2 [I2]'],
  },
  {
    name: 'W5: a new row is quarantined after the last pause, until a person asks for a retry',
    input: scene([newRow('a')], { asked: { 2: gone }, strays: strayed('a', refusal(null)) }),
    problems: ['quarantined row 2 [W5]'],
  },
  {
    name: 'W5, retry: a new row is retried by its number',
    input: scene([newRow('a')], {
      asked: { 2: gone },
      strays: strayed('a', refusal(null)),
      requests: { retry: new Set(['row:2']) },
    }),
    changes: ['create row 2 [I2]'],
  },
  {
    name: 'I4: of a copied row the one that equals the base keeps the link, even below',
    input: scene([copyOf('a', { position: 'CEO' }), person('a')]),
    problems: ['quarantined row 2 [I4]'],
    says: 'copy of row 3: clear its ID to make it a new contact',
  },
  {
    name: 'I4: if both rows equal the base, the upper one keeps the link',
    input: scene([person('a'), copyOf('a')]),
    problems: ['quarantined row 3 [I4]'],
  },
  {
    name: 'I4: if neither equals the base, the most similar row keeps the link; if two are equally similar, none does',
    input: scene([person('a', { sheet: { position: 'CEO' } }), copyOf('a', { position: 'COO' })]),
    problems: ['quarantined row 2 [I4]', 'quarantined row 3 [I4]', 'held a [I4]'],
  },
  {
    name: 'I5: an emptied ID is found by its key and written again',
    input: scene([withId('a', ''), person('b')]),
    changes: ['set a id=a [I5]'],
  },
  {
    name: 'I5: an ID column that was emptied is written again',
    input: scene([withId('a', ''), withId('b', ''), withId('c', '')]),
    changes: ['set a id=a [I5]', 'set b id=b [I5]', 'set c id=c [I5]'],
  },
  {
    name: 'I5: a row without an ID that holds what a contact’s row held last is that row, whichever contact has its key by now',
    input: scene([
      person('a', { crm: { email: 'b@acme.test', network_id: null }, row: { id: '' } }),
      person('b', { crm: { email: 'a@acme.test', network_id: 'handle-a' }, sheet: null, base: valuesOf('b') }),
    ]),
    changes: ['set a id=a: email a@acme.test -> b@acme.test [merge], network_id handle-a -> blank [M3]'],
    problems: ['ignored b [D1]'],
    links: ['b row-gone'],
  },
  {
    name: 'I5: of such a row the contact is asked for if the pull did not read it',
    input: scene([person('a', { crm: null, row: { id: '' } })], { crm: { coverage: 'changes' } }),
    problems: ['waiting row 2 [I5]'],
    questions: ['a [I5]'],
  },
  {
    name: 'I5: once it has answered the row gets its ID',
    input: scene([person('a', { crm: null, row: { id: '' } })], {
      crm: { coverage: 'changes' },
      asked: { a: here(person('a')) },
    }),
    changes: ['set a id=a [I5]'],
  },
  {
    name: 'I5, W4: without an answer the row waits, and does not count as missing',
    input: scene([person('a', { crm: null, row: { id: '' } })], {
      crm: { coverage: 'changes' },
      asked: { a: { kind: 'unanswered', why: 'no answer' } },
    }),
    problems: ['waiting row 2 [I5]'],
  },
  {
    name: 'I5, I2: of one that is gone a person typed the row anew: it is looked up as a new row',
    input: scene([person('a', { crm: null, row: { id: '' } })], {
      crm: { coverage: 'changes' },
      asked: { a: gone },
    }),
    problems: ['waiting row 2 [I2]'],
    questions: ['row 2'],
  },
  {
    name: 'I5, I7: an edited row without an ID is found by the key it had last, which its contact gave up',
    input: scene([
      person('a', { crm: { email: 'new@acme.test', network_id: null }, sheet: { position: 'CEO' }, row: { id: '' } }),
    ]),
    changes: [
      'update a: position CTO -> CEO [merge]',
      'set a id=a: email a@acme.test -> new@acme.test [merge], network_id handle-a -> blank [M3]',
    ],
  },
  {
    name: 'I5, I2: an edited row without an ID whose key another contact has by now is quarantined',
    input: scene([
      person('a', { crm: { email: 'b@acme.test', network_id: null }, sheet: { position: 'CEO' }, row: { id: '' } }),
      newContact('f', { email: 'a@acme.test', network_id: 'handle-a' }),
    ]),
    problems: ['quarantined row 2 [I2]'],
  },
  {
    name: 'I5, I2: it is quarantined also if a lookup found that contact',
    input: scene([person('a', { crm: null, sheet: { position: 'CEO' }, row: { id: '' } })], {
      crm: { coverage: 'changes' },
      asked: { 2: here(person('f', { crm: { email: 'a@acme.test', network_id: 'handle-a' } })) },
    }),
    problems: ['quarantined row 2 [I2]'],
  },
  {
    name: 'I5, I2: a row whose keys name two people, one by the key that its row held, one by the key that it has now, is quarantined',
    input: scene([
      gaveUpProfile('a', { email: 'b@acme.test' }),
      person('b', { sheet: null, link: { standing: 'row-gone' } }),
    ]),
    problems: ['quarantined row 2 [I2]', 'ignored b [D1]'],
    says: `matches 2 contacts: ${uuidOf('a')}, ${uuidOf('b')}`,
  },
  {
    name: 'I5, I2, L6: an incremental run that is answered one of the two says the same',
    input: scene(
      [
        gaveUpProfile('a', { email: 'b@acme.test' }),
        person('b', { crm: null, sheet: null, link: { standing: 'row-gone' } }),
      ],
      { crm: { coverage: 'changes' }, asked: { 2: here(person('b')) } },
    ),
    problems: ['quarantined row 2 [I2]', 'ignored b [D1]'],
  },
  {
    name: 'I5, I2, D1: neither of the two counts as deleted',
    input: scene([gaveUpProfile('a', { email: 'b@acme.test' }), person('b', { sheet: null }), person('c')], {
      mapping: { ...mapping, onRowDeleted: 'delete_contact' },
    }),
    problems: ['quarantined row 2 [I2]'],
  },
  {
    name: 'I5, I2: another row that matches only one of the two is quarantined as well, and names the first',
    input: scene([
      gaveUpProfile('a', { email: 'b@acme.test' }),
      person('b', { sheet: { network_id: null, email: 'a@acme.test' }, row: { id: '' } }),
      person('c'),
      person('d'),
    ]),
    problems: ['quarantined row 2 [I2]', 'quarantined row 3 [I2]'],
    says: `matches ${uuidOf('a')}, as row 2 does`,
  },
  {
    name: 'I5: a row that holds all that the row of one of the two held last is that row',
    input: scene([
      newRow('c', { network_id: 'handle-a', email: 'b@acme.test' }),
      person('a', { crm: { network_id: 'handle-new' }, row: { id: '' } }),
      person('b', { sheet: null, link: { standing: 'row-gone' } }),
    ]),
    changes: ['set a id=a: network_id handle-a -> handle-new [merge]'],
    problems: ['quarantined row 2 [I2]', 'ignored b [D1]'],
  },
  {
    name: 'I2: of two contacts with one address, neither of which had a row, a row with the profile of one gets that one',
    input: scene([
      newContact('a', { email: 's@acme.test' }),
      newContact('b', { email: 's@acme.test' }),
      newRow('c', { network_id: null, email: 's@acme.test' }),
      newRow('a', { email: 's@acme.test' }),
    ]),
    changes: ['update a: custom:segment unknown -> gold [M4]', 'set a id=a [I2]'],
    problems: ['quarantined row 4 [I2]'],
  },
  {
    name: 'I5, I2: a contact that has a row by its ID keeps it, whatever else matches it',
    input: scene([gaveUpProfile('a', { email: 'b@acme.test' }), person('b', { sheet: { position: 'CEO' } })]),
    changes: ['update b: position CTO -> CEO [merge]'],
    problems: ['quarantined row 2 [I2]'],
  },
  {
    name: 'I5, I2: a later key that a missing row held counts beside the first key of a contact',
    input: scene([
      newRow('c', { network_id: 'handle-c', email: 'a@acme.test' }),
      newContact('c'),
      person('a', { sheet: null }),
    ]),
    problems: ['quarantined row 2 [I2]'],
    says: `matches 2 contacts: ${uuidOf('a')}, ${uuidOf('c')}`,
  },
  {
    name: 'I5, I2: after an incremental pull the service is asked first whether another contact has the key, too',
    input: scene([person('a', { crm: null, sheet: { position: 'CEO' }, row: { id: '' } })], {
      crm: { coverage: 'changes' },
    }),
    problems: ['waiting row 2 [I2]'],
    questions: ['row 2'],
  },
  {
    name: 'I5: after an incremental pull an emptied ID is found by its key',
    input: scene([person('a', { crm: null, sheet: { position: 'CEO' }, row: { id: '' } })], {
      crm: { coverage: 'changes' },
      asked: { 2: here(person('a')) },
    }),
    changes: ['update a: position CTO -> CEO [merge]', 'set a id=a [I5]'],
  },
  {
    name: 'I5, D1: a contact whose row was deleted before may be the match',
    input: scene([person('a', { crm: null, row: { id: '' }, link: { standing: 'row-gone' } })], {
      crm: { coverage: 'changes' },
    }),
    problems: ['waiting row 2 [I2]', 'ignored a [D1]'],
    questions: ['row 2'],
    says: `matches ${uuidOf('a')}: is being looked up`,
  },
  {
    name: 'I5, D4: a contact that left the scope is no match: the row names a new person',
    input: scene([person('a', { crm: null, row: { id: '' }, link: { standing: 'left' } })], {
      crm: { coverage: 'changes' },
    }),
    problems: ['waiting row 2 [I2]'],
    questions: ['row 2'],
    says: 'new: is being looked up',
  },
  {
    name: 'I5, L7, D1: until that is answered, the row does not count as deleted',
    input: scene([person('a', { crm: null, sheet: { position: 'CEO' }, row: { id: '' } })], {
      crm: { coverage: 'changes' },
      asked: { 2: unanswered },
    }),
    problems: ['waiting row 2 [I2]'],
  },
  {
    name: 'I5, D1: an unknown ID quarantines its row, and nothing is concluded from a missing one',
    input: scene([person('a', { sheet: null }), newRow('b', {}, { id: uuidOf('f') })], { asked: { f: gone } }),
    problems: ['quarantined row 3 [I5]', 'held a [I5]'],
    says: 'no contact has its ID',
  },
  {
    name: 'I9, I10: an ID that only the service knows, of a contact in scope, is adopted',
    input: scene([person('f', { base: null, crm: null, sheet: { 'custom:segment': null } })], {
      crm: { coverage: 'changes' },
      asked: { f: here(person('f')) },
    }),
  },
  {
    name: 'I5: a text that is no ID is quarantined without asking',
    input: scene([newRow('b', {}, { id: 'hello' })]),
    problems: ['quarantined row 2 [I5]'],
    says: '"hello" is no contact ID',
  },
  {
    name: 'I5: a long ID is shown by its first forty characters',
    input: scene([newRow('b', {}, { id: 'x'.repeat(41) })]),
    problems: ['quarantined row 2 [I5]'],
    says: `its ID "${'x'.repeat(40)}…" is no contact ID`,
  },
  {
    name: 'I5: a row with the ID of a contact in another list names the list',
    input: scene([newRow('b', {}, { id: uuidOf('f') })], { asked: { f: elsewhere('f') } }),
    problems: ['quarantined row 2 [I5]'],
    says: 'its contact is in list Old, not in list Prospects',
  },
  {
    name: 'I5: a row with an unknown ID is quarantined while the service is asked',
    input: scene([newRow('b', {}, { id: uuidOf('f') })]),
    problems: ['quarantined row 2 [I5]'],
    questions: ['f [I5]'],
  },
  {
    name: 'I5, L7, D1: rows that lost their IDs and match each other are not deletions',
    input: scene([withId('a', ''), newRow('a', { position: 'CEO' })], {
      mapping: { ...mapping, onRowDeleted: 'delete_contact' },
    }),
    problems: ['quarantined row 2 [I6]', 'quarantined row 3 [I6]'],
  },
  {
    name: 'I5, L7, D1: a row that lost its ID and matches two contacts deletes neither',
    input: scene(
      [
        person('a', {
          base: { network_id: null, email: 's@acme.test' },
          sheet: { network_id: null, email: 's@acme.test', position: 'CEO' },
          row: { id: '' },
        }),
        person('b', { base: { network_id: null, email: 's@acme.test' } }),
      ],
      { mapping: { ...mapping, onRowDeleted: 'delete_contact' } },
    ),
    problems: ['quarantined row 2 [I2]'],
  },
  {
    name: 'I5, L7, D1: a row that lost its ID and has no key is found by its contents',
    input: scene([person('a', { base: only({ first_name: 'Ann' }), row: { id: '' } }), person('b')], {
      mapping: { ...mapping, onRowDeleted: 'delete_contact' },
    }),
    changes: ['set a id=a [I5]'],
  },
  {
    name: 'I5, L7, D1: an edited row without ID and key may be any missing row without a key: these do not count as deleted',
    input: scene(
      [
        person('a', {
          base: only({ first_name: 'Ann' }),
          sheet: only({ first_name: 'Ann', position: 'CEO' }),
          row: { id: '' },
        }),
        person('b', { sheet: null }),
        person('c'),
      ],
      { mapping: { ...mapping, onRowDeleted: 'delete_contact' } },
    ),
    changes: ['delete b [D1]'],
    problems: ['waiting row 2 [I2]'],
    says: `has no match key yet: fill network_id, or email, or name with company_name; if it is the row of ${uuidOf('a')}, write that ID into it`,
  },
  {
    name: 'I5, L7, D1: a row that lost its ID and all that people typed was some contact’s, by what leadsheet wrote there',
    input: scene(
      [
        person('a', { sheet: only({ status: 'ok' }), row: { id: '' } }),
        person('b', { sheet: null, base: { status: 'replied' }, crm: { status: 'replied' } }),
        person('c'),
      ],
      { mapping: { ...mapping, onRowDeleted: 'delete_contact' } },
    ),
    changes: ['delete b [D1]'],
    problems: ['waiting row 2 [I2]'],
    says: `if it is the row of ${uuidOf('a')}, write that ID into it`,
  },
  {
    name: 'I5, L7, D1: the same if people filled another cell in it since',
    input: scene(
      [
        person('a', {
          sheet: only({ status: 'ok', position: 'CEO' }),
          base: { position: null },
          crm: { position: null },
          row: { id: '' },
        }),
        person('b', { sheet: null, base: { status: 'replied' }, crm: { status: 'replied' } }),
        person('c'),
      ],
      { mapping: { ...mapping, onRowDeleted: 'delete_contact' } },
    ),
    changes: ['delete b [D1]'],
    problems: ['waiting row 2 [I2]'],
    says: `if it is the row of ${uuidOf('a')}, write that ID into it`,
  },
  {
    name: 'I5, L7, D1: a row that lost its ID and its keys may be any missing row that shared a value with it',
    input: scene(
      [
        person('a', { sheet: only({ first_name: valuesOf('a').first_name }), row: { id: '' } }),
        person('b', { sheet: null, base: { first_name: 'Bo', position: null } }),
        person('c'),
      ],
      { mapping: { ...mapping, onRowDeleted: 'delete_contact' } },
    ),
    changes: ['delete b [D1]'],
    problems: ['waiting row 2 [I2]'],
    says: `if it is the row of ${uuidOf('a')}, write that ID into it`,
  },
  {
    name: 'I6: two new rows with one key are quarantined together, and the rest goes on',
    input: scene([newRow('a'), newRow('a', { position: 'CEO' }), newRow('b')], {
      asked: { 2: gone, 3: gone, 4: gone },
    }),
    changes: ['create row 4 [I2]'],
    problems: ['quarantined row 2 [I6]', 'quarantined row 3 [I6]'],
    says: 'names the same person as row 3: keep one of them',
  },
  {
    name: 'I6: two new rows that match one contact are quarantined together; it gets no row either',
    input: scene([newContact('a'), newRow('a'), newRow('a', { position: 'CEO' })]),
    problems: ['quarantined row 3 [I6]', 'quarantined row 4 [I6]'],
  },
  {
    name: 'I6: a new row that shares a key with a row linked in this run is quarantined; the linked row goes on',
    input: scene(
      [
        newContact('a'),
        newRow('a', { email: 'new@acme.test', 'custom:segment': null }),
        newRow('c', { email: 'new@acme.test' }),
      ],
      { asked: { 4: gone } },
    ),
    changes: ['set a id=a [I2]'],
    problems: ['conflict a/email [M1]', 'quarantined row 4 [I6]'],
    says: 'has the same network_id, or email, or name with company_name as row 3',
  },
  {
    name: 'I6: a new row with a key that was just typed into linked rows names the uppermost of them',
    input: sorted(
      [
        person('a', { sheet: { email: 'new@acme.test' } }),
        person('b', { sheet: { email: 'new@acme.test' } }),
        newRow('c', { email: 'new@acme.test' }),
      ],
      { asked: { 4: gone } },
    ),
    problems: ['quarantined row 2 [I6]', 'held b/email [I7]', 'held a/email [I7]'],
    says: 'has the same network_id, or email, or name with company_name as row 3',
  },
  {
    name: 'I7: an e-mail edited in the sheet is a change like any other',
    input: scene([person('a', { sheet: { email: 'new@acme.test' } })]),
    changes: ['update a: email a@acme.test -> new@acme.test [merge]'],
  },
  {
    name: 'I7: an e-mail edited in the CRM is a change like any other',
    input: scene([person('a', { crm: { email: 'new@acme.test' } })]),
    changes: ['set a: email a@acme.test -> new@acme.test [merge]'],
  },
  {
    name: 'I7: a key that another contact holds is held; other fields of the row go on',
    input: scene([person('a', { sheet: { email: 'b@acme.test', position: 'CEO' } }), person('b')]),
    changes: ['update a: position CTO -> CEO [merge]'],
    problems: ['held a/email [I7]'],
    says: 'Email: another contact has it',
  },
  {
    name: 'I7: a key of a contact that an incremental pull did not read is held, too',
    input: scene([person('a', { sheet: { email: 'b@acme.test' } }), person('b', { crm: null })], {
      crm: { coverage: 'changes' },
    }),
    problems: ['held a/email [I7]'],
  },
  {
    name: 'I7: the key of a contact that is gone is free',
    input: scene([
      person('a', { sheet: { email: 'b@acme.test' } }),
      person('b', { crm: null, link: { standing: 'contact-gone' } }),
    ]),
    changes: ['update a: email a@acme.test -> b@acme.test [merge]'],
    problems: ['ignored b [D3]'],
  },
  {
    name: 'I7: a key that its holder gives up in the same plan is taken after it',
    input: scene([
      person('a', { sheet: { email: 'b@acme.test' } }),
      person('b', { sheet: { email: 'new@acme.test' } }),
    ]),
    changes: [
      'update b: email b@acme.test -> new@acme.test [merge]',
      'update a: email a@acme.test -> b@acme.test [merge]',
    ],
  },
  {
    name: 'I7: two rows that swap their keys both end swapped',
    input: scene([person('a', { sheet: { email: 'b@acme.test' } }), person('b', { sheet: { email: 'a@acme.test' } })]),
    changes: [
      'update a releasing: email a@acme.test -> blank [I7]',
      'update b: email b@acme.test -> a@acme.test [merge]',
      'update a: email a@acme.test -> b@acme.test [merge]',
    ],
  },
  {
    name: 'I7: three rows that pass their keys in a circle all end with the new one',
    input: scene([
      person('a', { sheet: { email: 'b@acme.test' } }),
      person('b', { sheet: { email: 'c@acme.test' } }),
      person('c', { sheet: { email: 'a@acme.test' } }),
    ]),
    changes: [
      'update a releasing: email a@acme.test -> blank [I7]',
      'update c: email c@acme.test -> a@acme.test [merge]',
      'update b: email b@acme.test -> c@acme.test [merge]',
      'update a: email a@acme.test -> b@acme.test [merge]',
    ],
  },
  {
    name: 'I7: a contact that only waits for a key of a circle does not empty its own',
    input: scene([
      person('c', { sheet: { network_id: 'handle-a' } }),
      person('a', { sheet: { email: 'b@acme.test', network_id: 'handle-new' } }),
      person('b', { sheet: { email: 'a@acme.test' } }),
    ]),
    changes: [
      'update a releasing: email a@acme.test -> blank [I7], network_id handle-a -> blank [I7]',
      'update c: network_id handle-c -> handle-a [merge]',
      'update b: email b@acme.test -> a@acme.test [merge]',
      'update a: email a@acme.test -> b@acme.test [merge], network_id handle-a -> handle-new [merge]',
    ],
  },
  {
    name: 'I7: updates that pass keys on among themselves stand together, whichever rows are between theirs',
    input: scene([
      person('a', { sheet: { email: 'b@acme.test' } }),
      person('c', { sheet: { position: 'CEO' } }),
      person('b', { sheet: { email: 'new@acme.test' } }),
    ]),
    changes: [
      'update b: email b@acme.test -> new@acme.test [merge]',
      'update a: email a@acme.test -> b@acme.test [merge]',
      'update c: position CTO -> CEO [merge]',
    ],
  },
  {
    name: 'I7: two rows that both take one key are both held',
    input: scene([
      person('a', { sheet: { email: 'new@acme.test' } }),
      person('b', { sheet: { email: 'new@acme.test' } }),
    ]),
    problems: ['held a/email [I7]', 'held b/email [I7]'],
  },
  {
    name: 'I7: an update that waits for a held key is held, too',
    input: scene([
      person('a', { sheet: { email: 'b@acme.test' } }),
      person('b', { sheet: { email: 'c@acme.test' } }),
      person('c'),
    ]),
    problems: ['held a/email [I7]', 'held b/email [I7]'],
  },
  {
    name: 'I7: before a key is sent the service is asked which contact has it, in any list',
    input: scene([person('a', { sheet: { email: 'new@acme.test', network_id: 'handle-new' } })], { keys: null }),
    changes: ['update a: email a@acme.test -> new@acme.test [merge], network_id handle-a -> handle-new [merge]'],
    questions: ['email of a new@acme.test [I7]', 'network_id of a handle-new [I7]'],
  },
  {
    name: 'I7: the service is not asked about a key that differs in form only, or that a contact of this reading holds',
    input: scene(
      [
        person('a', { sheet: { email: 'A@ACME.test' } }),
        person('b', { sheet: { network_id: 'handle-c' } }),
        person('c'),
      ],
      { keys: null },
    ),
    problems: ['held b/network_id [I7]'],
  },
  {
    name: 'I7, L5: a key of a contact of another list is held by name, and the other key of the row goes on',
    input: scene([person('a', { sheet: { email: 'new@acme.test', network_id: 'handle-new' } })], {
      keys: { 'email:new@acme.test': elsewhere('f') },
    }),
    changes: ['update a: network_id handle-a -> handle-new [merge]'],
    problems: ['held a/email [I7]'],
    says: 'Email: another contact has it, ffffffff-0000-4000-8000-000000000000 in list Old',
  },
  {
    name: 'I7: a circle of keys is left alone as a whole if a contact of another list has one of them, too',
    input: scene([person('a', { sheet: { email: 'b@acme.test' } }), person('b', { sheet: { email: 'a@acme.test' } })], {
      keys: { 'email:a@acme.test': elsewhere('f') },
    }),
    problems: ['held a/email [I7]', 'held b/email [I7]'],
  },
  {
    name: 'I7, W4: a key that could not be looked up is not sent',
    input: scene([person('a', { sheet: { email: 'new@acme.test', position: 'CEO' } })], {
      keys: { 'email:new@acme.test': unanswered },
    }),
    changes: ['update a: position CTO -> CEO [merge]'],
    problems: ['failed a/email [I7]'],
    says: 'Email: not sent before it is known who has it',
  },
  {
    name: 'I7, L6: two rows cannot swap a key that a third contact has, too, also if an incremental pull did not read it',
    input: scene(
      [
        person('a', { sheet: { email: 'b@acme.test' } }),
        person('b', { sheet: { email: 'a@acme.test' } }),
        person('c', { base: { email: 'a@acme.test' }, crm: null }),
      ],
      { crm: { coverage: 'changes' } },
    ),
    problems: ['held a/email [I7]', 'held b/email [I7]'],
  },
  {
    name: 'I7: what the service says of a key counts more than what was last seen of an unread contact',
    input: scene([person('a', { sheet: { email: 'b@acme.test' } }), person('b', { crm: null })], {
      crm: { coverage: 'changes' },
      keys: { 'email:b@acme.test': gone },
    }),
    changes: ['update a: email a@acme.test -> b@acme.test [merge]'],
  },
  {
    name: 'I7: a key that two contacts hold in the CRM goes into the cells like any other',
    input: scene([person('a'), person('b', { crm: { email: 'a@acme.test' } })]),
    changes: ['set b: email b@acme.test -> a@acme.test [merge]'],
  },
  {
    name: 'I7: a name that another contact has, too, is sent',
    input: scene([person('a', { sheet: { first_name: 'First b' } }), person('b')]),
    changes: ['update a: first_name First a -> First b [merge]'],
  },
  {
    name: 'I7: such a name is sent also beside an edited key',
    input: scene([person('a', { sheet: { first_name: 'First b', email: 'new@acme.test' } }), person('b')]),
    changes: ['update a: first_name First a -> First b [merge], email a@acme.test -> new@acme.test [merge]'],
  },
  {
    name: 'I8: a placeholder address is a value and no identifier',
    input: scene([newRow('a', only({ email: 'someone@example.com' }))]),
    problems: ['waiting row 2 [I2]'],
  },
  {
    name: 'I8: two contacts with the same placeholder address are two people',
    input: scene([
      person('a', { base: { email: 'x@demo.invalid' } }),
      person('b', { sheet: { email: 'x@demo.invalid' } }),
    ]),
    changes: ['update b: email b@acme.test -> x@demo.invalid [merge]'],
  },
  {
    name: 'I10: the row of a contact that was deleted and created again continues with the new contact',
    input: scene([person('a', { crm: null }), newContact('f', { ...valuesOf('a'), 'custom:segment': undefined })], {
      asked: { a: gone },
    }),
    changes: ['update f: custom:segment unknown -> gold [M4]', 'set f id=f [I10]'],
    links: ['a forgotten'],
  },
  {
    name: 'I10, D3: the old contact is asked for before its row continues with another',
    input: scene([person('a', { crm: null }), newContact('f', { email: 'a@acme.test', network_id: null })]),
    problems: ['waiting f [I10]'],
    questions: ['a [I10]', 'a [D3]'],
  },
  {
    name: 'I10: a contact that shares a key with an existing contact is another person',
    input: scene([person('a'), newContact('f', { email: 'a@acme.test' })]),
    changes: ['append f [merge]'],
  },
  {
    name: 'I10: if two contacts have the key of a deleted one, neither continues its row',
    input: scene(
      [
        person('a', { crm: null }),
        newContact('e', { email: 'a@acme.test' }),
        newContact('f', { email: 'a@acme.test' }),
      ],
      { asked: { a: gone } },
    ),
    changes: ['append e [merge]', 'append f [merge]'],
    problems: ['ignored a [D3]'],
    links: ['a contact-gone'],
  },
];

function refusal(retryAt: number | null) {
  return { refusal: { message: 'bad e-mail', times: 1, retryAt, sheet: packedOf(valuesOf('a')) } };
}

/** The rows in reverse order: the last of the people in row 2. They are read from below. */
function sorted(people: readonly PersonParts[], more: SceneMore = {}): PlanInput {
  const input = scene(people, more);
  const rows = input.sheet.rows.toReversed().map((row, index) => ({ ...row, number: index + 2 }));
  return { ...input, sheet: { ...input.sheet, rows } };
}

test.each(cases)('$name', (each) => {
  expect(seen(each)).toEqual(wanted(each));
});

test('I8: a contact seen twice in one scan counts once, and the later reading counts', () => {
  const input = scene([person('a', { crm: { position: 'CEO' }, contact: { updatedAt: noon } })]);
  const [later] = input.crm.contacts;
  const earlier = { ...later!, values: packedOf(valuesOf('a')), updatedAt: noon - 1000 };
  for (const contacts of [
    [earlier, later!],
    [later!, earlier],
  ]) {
    const twice = { ...input, crm: { ...input.crm, contacts } };
    expect(tell(twice).changes).toEqual(['set a: position CTO -> CEO [merge]']);
  }
});

test('I8, T19: a reading older than our own last write does not count, and the contact does not count as missing', () => {
  const input = scene([
    person('a', { crm: { position: 'old' }, contact: { updatedAt: noon - 2000 }, link: { writtenAt: noon - 1000 } }),
  ]);
  expect(seen({ input })).toEqual(wanted({}));
});

describe('I8, L1: a reading beside what a lookup of an earlier run showed', () => {
  const shownAt = noon - 10_000;
  const planOf = (link: Partial<Link>, updatedAt?: number, now = noon) => {
    const contact = updatedAt === undefined ? {} : { updatedAt };
    return seen({ input: scene([person('a', { crm: { position: 'old' }, contact, link })], { now }) });
  };
  const taken = wanted({ changes: ['set a: position CTO -> old [merge]'] });

  test.each([
    ['an older date', { shownAt }, shownAt - 1000],
    ['the same second and another value', { shownAt }, shownAt],
    ['an older date than our own write', { shownAt, writtenAt: shownAt + 1000 }, shownAt + 500],
  ])('%s: it does not count, and the contact does not count as missing', (_what, link, updatedAt) => {
    expect(planOf(link, updatedAt)).toEqual(wanted({}));
  });

  test.each([
    ['a later date', { shownAt }, shownAt + 1000, noon],
    ['a link of an older state, without a date', {}, shownAt - 1000, noon],
    ['a reading without a date', { shownAt }, undefined, noon],
    ['the same second, three minutes later', { shownAt }, shownAt, noon + 180_000],
    ['a date that the service set back', { shownAt }, shownAt - 1000, noon + 600_000],
    ['a lookup with a date from far ahead', { shownAt: noon + 3_600_000 }, noon, noon],
  ])('%s: it counts', (_what, link, updatedAt, now) => {
    expect(planOf(link, updatedAt, now)).toEqual(taken);
  });

  test('it stays with the link of a person whose conflict stays open', () => {
    const edited = person('a', {
      sheet: { position: 'CEO' },
      crm: { position: 'old' },
      contact: { updatedAt: shownAt },
    });
    const link = { ...edited.link!, crm: edited.contact!.values, shownAt };
    const { links } = plan(scene([{ ...edited, link }]));
    expect(links.get(uuidOf('a'))).toMatchObject({ shownAt, isOpen: true });
  });
});

test('I9, L7: a lost state is rebuilt by ID and by key; equal values become the base, and no contact is deleted', () => {
  const people = [
    person('a', { base: null, sheet: { 'custom:segment': null } }),
    person('b', { base: null, sheet: { 'custom:segment': null }, row: { id: '' } }),
    person('c', { base: null, sheet: { position: 'CEO', 'custom:segment': null } }),
    newContact('d'),
  ];
  const input = scene(people, {
    mapping: { ...mapping, onRowDeleted: 'delete_contact', onContactDeleted: 'delete_row' },
  });
  expect(seen({ input })).toEqual(
    wanted({ changes: ['set b id=b [I2]', 'append d [merge]'], problems: ['conflict c/position [M1]'] }),
  );
  const adopted = plan(input).links.get(uuidOf('a'));
  expect(adopted?.agreed).toBe(packedOf({ ...valuesOf('a'), 'custom:segment': undefined }));
});

test('I2: an answer to a lookup counts only for the contents that were looked up', () => {
  const before = scene([newRow('a')], { asked: { 2: gone } });
  const typedOver = scene([newRow('a', { email: 'b@acme.test' })]);
  for (const answers of [before.answers, noAnswers]) {
    expect(tell({ ...typedOver, answers })).toMatchObject({ changes: [], questions: ['row 2'] });
  }
});

describe('questions are asked again when the answer may have changed, and not in every run', () => {
  const says = (input: PlanInput) => {
    const { problems, questions, says: reasons } = tell(input);
    return { problems, questions, reasons };
  };
  const runs: readonly { when: string; more: SceneMore; isAsked: boolean }[] = [
    { when: 'by incremental runs not', more: { crm: { coverage: 'changes' } }, isAsked: false },
    { when: 'by a full scan', more: {}, isAsked: true },
    {
      when: 'when a person retries something',
      more: { crm: { coverage: 'changes' }, requests: { retry: new Set([uuidOf('c')]) } },
      isAsked: true,
    },
  ];

  test.each(runs)('I2, W9: a row whose contact is in another list: $when', ({ more, isAsked }) => {
    const { strays } = plan(scene([newRow('a')], { asked: { 2: elsewhere('b') } }));
    const answered = { kind: 'elsewhere', where: 'in list Old', uuid: uuidOf('b') };
    expect([...strays.values()]).toEqual([{ since: noon, answered }]);
    const again = says(scene([newRow('a')], { strays, ...more }));
    expect(again.questions).toEqual(isAsked ? ['row 2'] : []);
    expect(again.reasons).toContain(isAsked ? 'new: is being looked up' : 'is in list Old, not in list Prospects');
  });

  test.each(runs)(
    'I6, I2, L6: two rows whose contact in another list is one and the same: $when',
    ({ more, isAsked }) => {
      const rows = [newRow('a'), newRow('c')];
      const { strays } = plan(scene(rows, { asked: { 2: elsewhere('b'), 3: elsewhere('b') } }));
      expect([...strays.values()]).toHaveLength(2);
      const again = says(scene(rows, { strays, ...more }));
      expect(again.questions).toEqual(isAsked ? ['row 2', 'row 3'] : []);
      const answered = says(scene(rows, { strays, ...more, asked: { 2: elsewhere('b'), 3: elsewhere('b') } }));
      const both = ['quarantined row 2 [I6]', 'quarantined row 3 [I6]'];
      expect([isAsked ? both : again.problems, answered.problems]).toEqual([both, both]);
      expect(answered.reasons).toContain(`matches ${uuidOf('b')}; names the same person as row 3: keep one of them`);
    },
  );

  test.each(runs)(
    'I6, L6, W9: of two such rows, one of which was copied, the other stands alone: $when',
    ({ more, isAsked }) => {
      const rows = [newRow('a'), newRow('c')];
      const { strays } = plan(scene(rows, { asked: { 2: elsewhere('b'), 3: elsewhere('b') } }));
      const copied = [...rows, newRow('a')];
      const again = says(scene(copied, { strays, ...more, ...(isAsked && { asked: { 3: elsewhere('b') } }) }));
      expect(again).toMatchObject({
        problems: ['quarantined row 2 [I6]', 'quarantined row 3 [I2]', 'quarantined row 4 [I6]'],
        questions: [],
      });
      expect(again.reasons).toContain('is in list Old, not in list Prospects');
    },
  );

  describe('I5, I2, L2: a row that lost its ID, and whose contact has another key by now', () => {
    const lost = person('a', { crm: { email: 'new@acme.test' }, sheet: { position: 'CEO' }, row: { id: '' } });
    const byEmail = { mapping: { ...mapping, match: [['email']] } };
    const both = `matches 2 contacts: ${uuidOf('a')}, ${uuidOf('b')}; write the ID of the right one into it`;

    test.each([
      ['nowhere any more', gone, ['quarantined row 2 [I6]', 'quarantined row 3 [I6]']],
      ['here by now', here(newContact('b')), ['quarantined row 2 [I2]', 'quarantined row 3 [I2]']],
    ] as const)('L6: two rows that may be its row, and the one in another list is %s', (_where, answer, problems) => {
      const rows = [lost, newRow('a', { position: 'CFO' })];
      const told = plan(scene(rows, { ...byEmail, asked: { 2: elsewhere('b'), 3: elsewhere('b') } }));
      expect([...told.strays.values()].map(({ answered }) => answered?.kind)).toEqual(['elsewhere', 'elsewhere']);
      const asked = { 2: answer, 3: answer };
      const whole = scene(rows, { ...byEmail, strays: told.strays, asked });
      const changes = { ...byEmail, strays: plan(whole).strays, crm: { coverage: 'changes' } } as const;
      expect(says(scene(rows, changes)).questions).toEqual(['row 2', 'row 3']);
      for (const input of [whole, scene(rows, { ...changes, asked })])
        expect(says(input).problems.filter((each) => each.includes('row'))).toEqual(problems);
    });

    test.each([
      ['in another list', elsewhere('b'), ['quarantined row 2 [I2]'], both],
      ['nowhere', gone, [], ''],
      ['in another list, and the contact itself', elsewhere('a'), [], ''],
    ] as const)('the one who has its key now is %s', (_where, answer, problems, reason) => {
      for (const coverage of ['whole', 'changes'] as const) {
        const more: SceneMore = { ...byEmail, crm: { coverage } };
        expect(says(scene([lost], more)).questions).toEqual(['row 2']);
        const answered = says(scene([lost], { ...more, asked: { 2: answer } }));
        expect(answered.problems.filter((each) => each.includes('row 2'))).toEqual(problems);
        expect(answered.reasons).toContain(reason);
      }
    });

    test('W9, L6: runs between full scans remember it, and say the same', () => {
      const { strays } = plan(scene([lost], { ...byEmail, asked: { 2: elsewhere('b') } }));
      const again = says(scene([lost], { ...byEmail, strays, crm: { coverage: 'changes' } }));
      expect(again.questions).toEqual([]);
      expect(again.reasons).toContain(both);
    });
  });

  test('I6, L6: one of which was found by an earlier run, and the other is found now', () => {
    const rows = [newRow('a'), newRow('c')];
    const { strays } = plan(scene([newRow('a')], { asked: { 2: elsewhere('b') } }));
    const more: SceneMore = { strays, crm: { coverage: 'changes' } };
    expect(says(scene(rows, more)).questions).toEqual(['row 3']);
    expect(says(scene(rows, { ...more, asked: { 3: elsewhere('b') } })).problems).toEqual([
      'quarantined row 2 [I6]',
      'quarantined row 3 [I6]',
    ]);
  });

  test.each(runs)('I5, W9: a row whose ID no contact here has: $when', ({ more, isAsked }) => {
    const unknown = (who: Who) => newRow('b', {}, { id: uuidOf(who) });
    for (const [answer, reason] of [
      [gone, 'no contact has its ID'],
      [elsewhere('f'), 'its contact is in list Old, not in list Prospects'],
    ] as const) {
      const { strays } = plan(scene([unknown('f')], { asked: { f: answer } }));
      const again = says(scene([unknown('f')], { strays, ...more }));
      expect(again.questions).toEqual(isAsked ? ['f [I5]'] : []);
      expect(again.reasons).toContain(isAsked ? 'its ID is being looked up' : reason);
      expect(plan(scene([unknown('f')], { strays, crm: { coverage: 'changes' } })).strays).toEqual(strays);
    }
  });

  test('I2: with move_to_list a contact of another list is asked for in every run', () => {
    const { strays } = plan(scene([newRow('a')], { asked: { 2: elsewhere('b') } }));
    const moving = { mapping: { ...mapping, moveToList: true }, crm: { coverage: 'changes' }, strays } as const;
    expect(says(scene([newRow('a')], moving)).questions).toEqual(['row 2']);
  });
});

test('I2, W10: the settle delay of a row goes on while the service cannot be asked', () => {
  const row = [person('a', { crm: null, sheet: { position: 'CEO' }, row: { id: '' } })];
  const more: SceneMore = { crm: { coverage: 'changes' }, waitsToSettle: true };
  const { strays } = plan(scene(row, { ...more, asked: { 2: unanswered } }));
  expect([...strays.values()]).toEqual([{ since: noon }]);
  const later = scene([newRow('a', { position: 'CEO' })], { ...more, asked: { 2: gone }, strays, now: noon + 10_000 });
  expect(tell(later).changes).toEqual(['create row 2 [I2]']);
});

test('W10, E2: another automation in a new row starts the settle delay again', () => {
  const enrolling: SceneMore = {
    mapping: { ...mapping, enrolment: { unless: {}, onClear: 'ignore', perHour: 10 } },
    automations: [
      { uuid: 'flow-1', name: 'Welcome', status: 'on' },
      { uuid: 'flow-2', name: 'Nurture', status: 'on' },
    ],
    waitsToSettle: true,
  };
  const wishing = (wish: string, more: SceneMore) => scene([newRow('a', {}, { wish })], { ...enrolling, ...more });
  const { strays } = plan(wishing('Welcome', {}));
  const later = { strays, now: noon + 10_000 };
  expect(tell(wishing('Welcome', later)).changes).toEqual(['create row 2 enrolled in flow-1 [I2]']);
  expect(tell(wishing('Nurture', later))).toMatchObject({ changes: [], problems: ['waiting row 2 [W10]'] });
});

test('L11: the order of contacts and rows does not matter', () => {
  const people = [
    person('a', { sheet: { email: 'b@acme.test' } }),
    person('b', { sheet: { email: 'a@acme.test' } }),
    newContact('c'),
    newRow('d'),
    person('e', { crm: null }),
    newRow(1),
    newRow(2),
    newRow(3, {}, { id: uuidOf('f') }),
    newRow(4, {}, { id: uuidOf(9) }),
    newRow(5, {}, { id: uuidOf(8) }),
  ];
  const input = scene(people, { asked: { 5: gone, e: gone } });
  const turned: PlanInput = {
    ...input,
    crm: { ...input.crm, contacts: input.crm.contacts.toReversed() },
    sheet: { ...input.sheet, rows: input.sheet.rows.toReversed() },
  };
  expect(tell(turned)).toEqual(tell(input));
});
