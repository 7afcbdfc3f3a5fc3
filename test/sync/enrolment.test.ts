import { describe, expect, test } from 'vitest';
import { rowKey } from '../../src/sync/record/base.ts';
import { callsOf, type InFlight, type Ledger, type LedgerEntry, ledgerKey } from '../../src/sync/record/ledger.ts';
import { carriedOver } from '../../src/sync/enrolment/carried-over.ts';
import { refrainFrom, vetoOf } from '../../src/sync/enrolment/veto.ts';
import { readWish } from '../../src/sync/enrolment/wish.ts';
import { resultText } from '../../src/sync/enrolment/wish-result.ts';
import type { EnrolmentRules } from '../../src/sync/record/mapping.ts';
import { plan } from '../../src/sync/plan.ts';
import { unpack } from '../../src/sync/record/record.ts';
import {
  type Case,
  seen,
  gone,
  mapping,
  newContact,
  newRow,
  noon,
  packedOf,
  person,
  scene,
  type SceneMore,
  uuidOf,
  type Values,
  valuesOf,
  type Who,
  wanted,
} from './support.ts';

const automations = [
  { uuid: 'flow-1', name: 'Welcome', status: 'on' },
  { uuid: 'flow-2', name: 'Nurture', status: 'off' },
  { uuid: 'flow-3', name: 'Old', status: 'archived' },
  { uuid: 'flow-4', name: 'Twin', status: 'on' },
  { uuid: 'flow-5', name: 'Twin', status: 'on' },
];
const minutes = (count: number) => count * 60_000;

const wisher = (who: Who, wish: string, sheet = {}) => person(who, { sheet, crm: sheet, base: sheet, row: { wish } });
/** A row without an ID that shows what another one was told, of a contact whose row it is by its key. */
const copiedWithSentence = person('a', {
  base: null,
  sheet: { 'custom:segment': null },
  row: { id: '', wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' },
});
const withRules = (rules: Partial<EnrolmentRules> = {}, more: SceneMore = {}): SceneMore => ({
  mapping: { ...mapping, enrolment: { unless: {}, onClear: 'ignore', perHour: 100, ...rules } },
  automations,
  ...more,
});
const ledger = (entries: readonly [Who, string, Partial<LedgerEntry>][], isTrusted = true): Ledger => ({
  entries: new Map(
    entries.map(([who, automation, entry]) => [
      ledgerKey(uuidOf(who), automation),
      { state: 'enrolled', at: noon - minutes(600), run: 'r1', ...entry },
    ]),
  ),
  isTrusted,
});

const cases: readonly Case[] = [
  {
    name: 'E1: a wish is carried out',
    input: scene([wisher('a', 'Welcome')], withRules()),
    changes: ['enrol a flow-1 [E1]'],
  },
  {
    name: 'E1: an enrolment that the ledger has is not repeated',
    input: scene([wisher('a', 'Welcome')], withRules({}, { ledger: ledger([['a', 'flow-1', {}]]) })),
  },
  {
    name: 'E1: an enrolment that is being cancelled, or that the service skipped, is not repeated',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome')],
      withRules(
        {},
        {
          ledger: ledger([
            ['a', 'flow-1', { state: 'skipped' }],
            ['b', 'flow-1', { state: 'cancelling' }],
          ]),
        },
      ),
    ),
    problems: ['held b [E5]'],
  },
  {
    name: 'E1, retry: an enrolment is repeated when a person asks for it by its id',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules(
        {},
        {
          ledger: ledger([['a', 'flow-1', { state: 'unknown' }]]),
          requests: { retry: new Set([`${uuidOf('a')}/flow-1`]) },
        },
      ),
    ),
    changes: ['enrol a flow-1 [E1]'],
  },
  {
    name: 'E1, E3, retry: asking for the contact does not repeat an enrolment of unknown outcome',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules(
        {},
        {
          ledger: ledger([['a', 'flow-1', { state: 'unknown' }]]),
          requests: { retry: new Set([uuidOf('a')]) },
        },
      ),
    ),
    problems: ['quarantined a [E3]'],
  },
  {
    name: 'E1: several names in one cell are several wishes',
    input: scene([wisher('a', 'welcome, NURTURE')], withRules()),
    changes: ['enrol a flow-1 [E1]', 'enrol a flow-2 [E1]'],
  },
  {
    name: 'E1, I9: a contact whose row is linked in this run is enrolled in the same run',
    input: scene(
      [
        person('a', { base: null, sheet: { 'custom:segment': null }, row: { wish: 'Welcome' } }),
        person('b', { base: null, sheet: { 'custom:segment': null }, row: { id: '', wish: 'Welcome' } }),
      ],
      withRules(),
    ),
    changes: ['enrol a flow-1 [E1]', 'enrol b flow-1 [E1]', 'set b id=b [I2]'],
  },
  {
    name: 'E1: without an automation column in the mapping no row has a wish',
    input: scene([wisher('a', 'Welcome')], { automations }),
  },
  {
    name: 'E1: nothing is concluded while the automations could not be read',
    input: scene([wisher('a', 'Welcome')], { mapping: withRules().mapping! }),
  },
  {
    name: 'E1: a contact that is gone or left is not enrolled',
    input: scene([person('a', { crm: null, row: { wish: 'Welcome' }, link: { standing: 'left' } })], withRules()),
    problems: ['ignored a [D4]'],
  },
  {
    name: 'E2: a new row with a wish is created and enrolled by one call',
    input: scene([newRow('a', {}, { wish: 'Welcome' })], withRules({}, { asked: { 2: gone } })),
    changes: ['create row 2 enrolled in flow-1 [I2]'],
  },
  {
    name: 'E2, E4: a new row whose wish is vetoed, archived or unknown is created without it',
    input: scene(
      [
        newRow('a', { position: 'Intern' }, { wish: 'Welcome' }),
        newRow('b', {}, { wish: 'Old' }),
        newRow('c', {}, { wish: 'Nothing' }),
      ],
      withRules({ unless: { position: ['intern'] } }, { asked: { 2: gone, 3: gone, 4: gone } }),
    ),
    changes: ['create row 2 [I2]', 'create row 3 [I2]', 'create row 4 [I2]'],
    problems: ['ignored row 2 [E4]', 'refused row 3 [E4]', 'refused row 4 [E4]'],
  },
  {
    name: 'E3: an intent left by a crash has an unknown outcome, and is not repeated without a person',
    input: scene([wisher('a', 'Welcome')], withRules({}, { ledger: ledger([['a', 'flow-1', { state: 'intended' }]]) })),
    problems: ['quarantined a [E3]'],
    says: 'outcome unknown, look in the service',
  },
  {
    name: 'E4: a vetoed wish is left alone',
    input: scene([wisher('a', 'Welcome', { status: 'Replied' })], withRules({ unless: { status: ['replied'] } })),
    problems: ['ignored a [E4]'],
    says: 'enrolment vetoed: Status is replied',
  },
  {
    name: 'E4, V4: a wish waits while the cell of a veto cannot be read',
    input: scene(
      [wisher('a', 'Welcome', { status: undefined }), newRow('b', { status: undefined }, { wish: 'Welcome' })],
      withRules({ unless: { status: ['replied'] } }, { asked: { 3: gone } }),
    ),
    changes: ['create row 3 [I2]'],
    problems: ['waiting a [E4]', 'waiting row 3 [E4]'],
    says: 'enrolment: Status may forbid it, and its cell cannot be read',
  },
  {
    name: 'E4: the cap holds the rest for later runs, the upper rows first',
    input: scene([wisher('a', 'Welcome'), wisher('b', 'Welcome'), wisher('c', 'Welcome')], withRules({ perHour: 1 })),
    changes: ['enrol a flow-1 [E1]'],
    problems: ['waiting b [E4]', 'waiting c [E4]'],
    says: 'enrolment: 1 ahead, cap 1/h',
  },
  {
    name: 'E4: the oldest wish is carried out first, wherever its row is',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome')],
      withRules({ perHour: 1 }, { ledger: ledger([['b', 'flow-1', { state: 'waiting', at: noon - minutes(5) }]]) }),
    ),
    changes: ['enrol b flow-1 [E1]'],
    problems: ['waiting a [E4]'],
  },
  {
    name: 'E4: a waiting wish comes before a new row',
    input: scene(
      [wisher('a', 'Welcome'), newRow('b', {}, { wish: 'Welcome' })],
      withRules(
        { perHour: 1 },
        {
          asked: { 3: gone },
          ledger: ledger([['a', 'flow-1', { state: 'waiting', at: noon - minutes(5) }]]),
        },
      ),
    ),
    changes: ['create row 3 [I2]', 'enrol a flow-1 [E1]'],
    problems: ['waiting row 3 [E4]'],
  },
  {
    name: 'E4: calls of the last hour count for the cap, whatever their outcome; older calls do not',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome'), person('c'), person('d')],
      withRules(
        { perHour: 2 },
        {
          ledger: ledger([
            ['c', 'flow-1', { state: 'unknown', at: noon - minutes(59) }],
            ['d', 'flow-1', { state: 'enrolled', at: noon - minutes(60) }],
          ]),
        },
      ),
    ),
    changes: ['enrol a flow-1 [E1]'],
    problems: ['waiting b [E4]'],
  },
  {
    name: 'E4: vetoed wishes are not counted among those ahead',
    input: scene(
      [wisher('a', 'Welcome', { status: 'replied' }), wisher('b', 'Welcome'), wisher('c', 'Welcome')],
      withRules({ perHour: 1, unless: { status: ['replied'] } }),
    ),
    changes: ['enrol b flow-1 [E1]'],
    problems: ['ignored a [E4]', 'waiting c [E4]'],
    says: 'enrolment: 0 ahead',
  },
  {
    name: 'E4: an unknown automation: the row says so',
    input: scene([wisher('a', 'Nothing')], withRules()),
    problems: ['refused a [E4]'],
    says: 'enrolment: no such automation: "Nothing"',
  },
  {
    name: 'E4: an archived automation: the row says so',
    input: scene([wisher('a', 'Old')], withRules()),
    problems: ['refused a [E4]'],
    says: 'the automation "Old" is archived',
  },
  {
    name: 'E4: a name that two automations have asks for the uuid',
    input: scene([wisher('a', 'Twin')], withRules()),
    problems: ['refused a [E4]'],
    says: 'several automations have this name, write the uuid',
  },
  {
    name: 'E4: the uuid tells two automations of one name apart',
    input: scene([wisher('a', 'flow-5')], withRules()),
    changes: ['enrol a flow-5 [E1]'],
  },
  {
    name: 'E4, W5: the row shows why the service refused, in the words of the service',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules({}, { ledger: ledger([['a', 'flow-1', { state: 'refused', message: 'no sender' }]]) }),
    ),
    problems: ['refused a [E4]'],
    says: 'no sender',
  },
  {
    name: 'E5 ignore: an emptied cell cancels nothing',
    input: scene([wisher('a', '')], withRules({}, { ledger: ledger([['a', 'flow-1', {}]]) })),
  },
  {
    name: 'E5 cancel: an emptied cell cancels from that automation',
    input: scene([wisher('a', '')], withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', {}]]) })),
    changes: ['cancel a flow-1 [E5]'],
  },
  {
    name: 'E5 cancel: a changed cell cancels the old one first',
    input: scene([wisher('a', 'Nurture')], withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', {}]]) })),
    changes: ['cancel a flow-1 [E5]', 'enrol a flow-2 [E1]'],
  },
  {
    name: 'E5, W5: while the cancel of the earlier wish is refused, the new one waits',
    input: scene(
      [wisher('a', 'Nurture')],
      withRules(
        { onClear: 'cancel' },
        {
          ledger: ledger([
            ['a', 'flow-1', { refusedCancel: { message: 'not now', times: 1, retryAt: noon + minutes(5) } }],
          ]),
        },
      ),
    ),
    problems: ['refused a [W5]', 'waiting a [E5]'],
  },
  {
    name: 'E5 cancel: a cell that names something unknown cancels nothing',
    input: scene([wisher('a', 'Welcom')], withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', {}]]) })),
    problems: ['refused a [E4]'],
  },
  {
    name: 'E5, W11: a missing automation column cancels no enrolment',
    input: scene([person('a')], withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', {}]]) })),
  },
  {
    name: 'E6, W11: without the automation column the result column proves nothing',
    input: scene(
      [person('a', { row: { wishResult: 'enrolled 2026-05-01 in Welcome' } }), wisher('b', 'Welcome')],
      withRules(),
    ),
    changes: ['enrol b flow-1 [E1]'],
  },
  {
    name: 'E5: only what was enrolled is cancelled, and only once',
    input: scene(
      [wisher('a', ''), wisher('b', '')],
      withRules(
        { onClear: 'cancel' },
        {
          ledger: ledger([
            ['a', 'flow-1', { state: 'cancelling' }],
            ['b', 'flow-1', { state: 'waiting' }],
          ]),
        },
      ),
    ),
  },
  {
    name: 'E6: with a new or restored state, wishes of contacts that existed are held until approved',
    input: scene([wisher('a', 'Welcome'), wisher('b', 'Welcome')], withRules({}, { ledger: ledger([], false) })),
    problems: ['held a [E6]', 'held b [E6]'],
    says: 'the state or the column is new, approve it once',
  },
  {
    name: 'E6: an approval lets these wishes through',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([], false), requests: approve(2) }),
    ),
    changes: ['enrol a flow-1 [E1]', 'enrol b flow-1 [E1]'],
  },
  {
    name: 'E6, G2: an approval of fewer wishes than there are now lets none through',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([], false), requests: approve(1) }),
    ),
    problems: ['held a [E6]', 'held b [E6]'],
  },
  {
    name: 'E6, G2: a new row whose cell names no automation counts, since the next run cannot judge it either',
    input: scene(
      [wisher('a', 'Welcome'), newRow('b', {}, { wish: 'Welcom' })],
      withRules({}, { asked: { 3: gone }, ledger: ledger([], false), requests: approve(1) }),
    ),
    changes: ['create row 3 [I2]'],
    problems: ['held a [E6]', 'refused row 3 [E4]'],
  },
  {
    name: 'E6: a result column that says enrolled is proof',
    input: scene(
      [person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } })],
      withRules({}, { ledger: ledger([], false) }),
    ),
  },
  {
    name: 'E6: proof for one automation is none for another',
    input: scene(
      [person('a', { row: { wish: 'Nurture', wishResult: 'enrolled 2026-05-01 in Welcome' } })],
      withRules({}, { ledger: ledger([], false) }),
    ),
    problems: ['held a [E6]'],
  },
  {
    name: 'E6: a new row is created and enrolled with a lost state, too',
    input: scene(
      [newRow('a', {}, { wish: 'Welcome' })],
      withRules({}, { asked: { 2: gone }, ledger: ledger([], false) }),
    ),
    changes: ['create row 2 enrolled in flow-1 [I2]'],
  },
  {
    name: 'E6: a new row whose result column says enrolled is created, and not enrolled again',
    input: scene(
      [newRow('a', {}, { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' })],
      withRules({}, { asked: { 2: gone }, ledger: ledger([], false) }),
    ),
    changes: ['create row 2 [I2]'],
  },
  {
    name: 'E6, S3: a row that proves an enrolment unknown to the ledger holds the other wishes',
    input: scene(
      [person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } }), wisher('b', 'Welcome')],
      withRules(),
    ),
    problems: ['held b [E6]'],
  },
  {
    name: 'E6, S3: a row with its ID proves its enrolment also where another contact was enrolled on that day',
    input: scene(
      [person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } }), wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([['c', 'flow-1', { name: 'Welcome', at: Date.UTC(2026, 4, 1, 9) }]]) }),
    ),
    problems: ['held b [E6]'],
  },
  ...(['waiting', 'refused', 'cancelled'] as const).map((state): Case => ({
    name: `E6, S3, L8: a wish that a restored ledger has as ${state} is not carried out where its row says that it was`,
    input: scene(
      [person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } }), wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([['a', 'flow-1', { state, calls: [] }]]) }),
    ),
    problems: ['held b [E6]'],
  })),
  {
    name: 'E1, E6: a second try that waits is carried out, although its row still says what came of the first one',
    input: scene(
      [person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } })],
      withRules(
        {},
        {
          ledger: ledger([
            [
              'a',
              'flow-1',
              { state: 'waiting', calls: [], before: { state: 'enrolled', at: Date.UTC(2026, 4, 1, 9), run: 'R1' } },
            ],
          ]),
        },
      ),
    ),
    changes: ['enrol a flow-1 [E1]'],
  },
  {
    name: 'E1, E6: of two automations with one name, the sentence about the first keeps the second from nothing',
    input: scene(
      [person('a', { row: { wish: 'flow-1', wishResult: 'enrolled 2026-05-01 in Welcome' } }), wisher('b', 'Welcome')],
      withRules(
        {},
        {
          ledger: ledger([
            ['a', 'flow-9', { name: 'Welcome', at: Date.UTC(2026, 4, 1, 9) }],
            ['a', 'flow-1', { state: 'waiting', name: 'Welcome' }],
          ]),
        },
      ),
    ),
    changes: ['enrol a flow-1 [E1]', 'enrol b flow-1 [E1]'],
  },
  {
    name: 'E6: the sentence of another contact, in a row that was copied and lost its ID, proves nothing',
    input: scene(
      [copiedWithSentence, wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([['c', 'flow-1', { name: 'Welcome', at: Date.UTC(2026, 4, 1, 9) }]]) }),
    ),
    changes: ['enrol a flow-1 [E1]', 'enrol b flow-1 [E1]', 'set a id=a [I2]'],
  },
  {
    name: 'E6, L8: a sentence that no entry explains, in a row without an ID, has that wish alone wait for a person',
    input: scene(
      [copiedWithSentence, wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([['c', 'flow-1', { name: 'Welcome', at: Date.UTC(2026, 4, 2) }]]) }),
    ),
    changes: ['enrol b flow-1 [E1]', 'set a id=a [I2]'],
    problems: ['quarantined a [E3]'],
    says: 'the row had no ID of the contact',
  },
  {
    name: 'E1, E5: a name that another automation has by now names the one in which the contact is by that name',
    input: scene(
      [person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } }), wisher('b', 'Welcome')],
      withRules(
        { onClear: 'cancel' },
        { ledger: ledger([['a', 'flow-9', { name: 'Welcome', at: Date.UTC(2026, 4, 1, 9) }]]) },
      ),
    ),
    changes: ['enrol b flow-1 [E1]'],
  },
  {
    name: 'E6, L8: a sentence about an automation that had this name before has that wish alone wait for a person',
    input: scene(
      [person('a', { row: { wish: 'flow-1', wishResult: 'enrolled 2026-05-01 in Welcome' } }), wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([['a', 'flow-9', { name: 'Welcome', at: Date.UTC(2026, 4, 1, 9) }]]) }),
    ),
    changes: ['enrol b flow-1 [E1]'],
    problems: ['quarantined a [E3]'],
    says: 'in an automation that had this name before',
  },
  {
    name: 'E6: an enrolment that the ledger has, too, holds no wishes',
    input: scene(
      [person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } }), wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([['a', 'flow-1', { state: 'cancelling' }]]) }),
    ),
    changes: ['enrol b flow-1 [E1]'],
    problems: ['held a [E5]'],
  },
  {
    name: 'E6: a result about another automation holds no wishes',
    input: scene(
      [person('a', { row: { wish: 'Nurture', wishResult: 'enrolled 2026-05-01 in Welcome' } })],
      withRules({}, { ledger: ledger([['a', 'flow-1', {}]]) }),
    ),
    changes: ['enrol a flow-2 [E1]'],
  },
  {
    name: 'E6: a result column with an unreadable date is no proof',
    input: scene(
      [person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-99-99 in Welcome' } })],
      withRules({}, { ledger: ledger([], false) }),
    ),
    problems: ['held a [E6]'],
  },
  {
    name: 'E6: an approval covers wishes that are vetoed today, too',
    input: scene(
      [wisher('a', 'Welcome', { status: 'replied' }), wisher('b', 'Welcome')],
      withRules({ unless: { status: ['replied'] } }, { ledger: ledger([], false), requests: approve(1) }),
    ),
    problems: ['ignored a [E4]', 'held b [E6]'],
  },
  {
    name: 'E3: while the outcome of an earlier create is unknown, no other contact is enrolled in that automation',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Nurture')],
      withRules({}, { ledger: inFlight({ automation: 'flow-1', at: noon, isUnanswered: true }) }),
    ),
    changes: ['enrol b flow-2 [E1]'],
    problems: ['waiting a [E3]'],
    says: 'an earlier call has to be looked up first',
  },
  {
    name: 'E3: an earlier call that was looked up does not delay other wishes',
    input: scene([wisher('a', 'Welcome')], withRules({}, { ledger: inFlight({ automation: 'flow-1', at: noon }) })),
    changes: ['enrol a flow-1 [E1]'],
  },
  {
    name: 'E3, L8: a new row that may have been created and enrolled is left to the lookup',
    input: scene(
      [newRow('c', {}, { wish: 'Welcome' })],
      withRules({}, { ledger: inFlight({ automation: 'flow-1', at: noon }) }),
    ),
    problems: ['unknown row 2 [E3]'],
    says: 'it may have been created and enrolled',
  },
  {
    name: 'E4: a call whose contact is not known yet counts for the cap, for an hour',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules({ perHour: 1 }, { ledger: inFlight({ automation: 'flow-1', at: noon - minutes(59) }) }),
    ),
    problems: ['waiting a [E4]'],
  },
  {
    name: 'E4: that call counts once',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome')],
      withRules({ perHour: 2 }, { ledger: inFlight({ automation: 'flow-1', at: noon - minutes(59) }) }),
    ),
    changes: ['enrol a flow-1 [E1]'],
    problems: ['waiting b [E4]'],
  },
  {
    name: 'E4: after an hour that call does not count any more',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules({ perHour: 1 }, { ledger: inFlight({ automation: 'flow-1', at: noon - minutes(60) }) }),
    ),
    changes: ['enrol a flow-1 [E1]'],
  },
  {
    name: 'E4: an enrolment that was cancelled within the hour still counts for the cap',
    input: scene(
      [wisher('a', 'Welcome'), person('c')],
      withRules(
        { perHour: 1 },
        { ledger: ledger([['c', 'flow-1', { state: 'cancelling', calls: [noon - minutes(10)] }]]) },
      ),
    ),
    problems: ['waiting a [E4]'],
  },
  {
    name: 'E4: for an unknown name the row shows the most similar one',
    input: scene([wisher('a', 'Welcom')], withRules({}, { nearestAutomations: new Map([['Welcom', 'Welcome']]) })),
    problems: ['refused a [E4]'],
    says: 'no such automation: "Welcom", did you mean "Welcome"?',
  },
  ...['Welcome; Nurture', 'Welcome\nNurture'].map((wish) => ({
    name: `E1, E4: for names with something else than a comma between them, the row says to write one: ${JSON.stringify(wish)}`,
    input: scene([wisher('a', wish)], withRules({}, { nearestAutomations: new Map([[wish, 'Nurture']]) })),
    problems: ['refused a [E4]'],
    says: `no such automation: "${wish}": write a comma between two names`,
  })),
  {
    name: 'E4: of two new rows the cap lets one be enrolled; the other waits',
    input: scene(
      [newRow('a', {}, { wish: 'Welcome' }), newRow('b', {}, { wish: 'Welcome' })],
      withRules({ perHour: 1 }, { asked: { 2: gone, 3: gone } }),
    ),
    changes: ['create row 2 enrolled in flow-1 [I2]', 'create row 3 [I2]'],
    problems: ['waiting row 3 [E4]'],
    says: 'enrolment: 0 ahead, cap 1/h',
  },
  {
    name: 'E4: an archived automation is no problem for an enrolment that is done',
    input: scene([wisher('a', 'Old')], withRules({}, { ledger: ledger([['a', 'flow-3', {}]]) })),
  },
  {
    name: 'E4: a wish that was refused before, and whose automation is archived now, says that it is archived',
    input: scene(
      [wisher('a', 'Old')],
      withRules({}, { ledger: ledger([['a', 'flow-3', { state: 'refused', message: 'no sender' }]]) }),
    ),
    problems: ['refused a [E4]'],
    says: 'the automation "Old" is archived',
  },
  {
    name: 'E4: a problem says that the automations could not be read if a row has a wish',
    input: scene([wisher('a', 'Welcome')], { mapping: withRules().mapping!, automationsUnread: 'HTTP 500' }),
    problems: ['failed row null [E4]'],
    says: 'nobody is enrolled: the automations could not be read: HTTP 500',
  },
  {
    name: 'E4: no problem says so if no row has a wish',
    input: scene([wisher('a', ' ')], { mapping: withRules().mapping!, automationsUnread: 'HTTP 500' }),
  },
  {
    name: 'E1, I2: a contact that is moved here from another list is enrolled like a contact that is here',
    input: scene(
      [newRow('a', {}, { wish: 'Welcome' })],
      withRules(
        {},
        {
          mapping: { ...withRules().mapping!, moveToList: true },
          asked: { 2: { kind: 'elsewhere', uuid: uuidOf('a'), where: 'in list Old' } },
        },
      ),
    ),
    changes: ['create row 2 moving a [I2]', 'enrol a flow-1 [E1]'],
  },
  {
    name: 'W10: a wish waits to settle like any edit',
    input: scene([wisher('a', 'Welcome')], withRules({}, { waitsToSettle: true })),
    problems: ['waiting a [W10]'],
    says: 'enrolment: waits to settle',
  },
  {
    name: 'W10: a wish older than the settle delay is carried out',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules(
        {},
        { waitsToSettle: true, ledger: ledger([['a', 'flow-1', { state: 'waiting', at: noon - 10_000 }]]) },
      ),
    ),
    changes: ['enrol a flow-1 [E1]'],
  },
  {
    name: 'W10, retry: a wish that a person retries does not wait to settle',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules(
        {},
        {
          waitsToSettle: true,
          ledger: ledger([['a', 'flow-1', { state: 'refused' }]]),
          requests: { retry: new Set([`${uuidOf('a')}/flow-1`]) },
        },
      ),
    ),
    changes: ['enrol a flow-1 [E1]'],
  },
];

function approve(enrolments: number): NonNullable<SceneMore['requests']> {
  return { approved: { creates: 0, changes: 0, blanks: 0, deletes: 0, missing: 0, enrolments } };
}

/** A call that created and enrolled the new row of `c`. The uuid of the contact is not known yet. */
function inFlight(call: InFlight): Ledger {
  return { ...ledger([]), inFlight: new Map([[rowKey({ values: packedOf(valuesOf('c')) }), call]]) };
}

test.each(cases)('$name', (each) => {
  expect(seen(each)).toEqual(wanted(each));
});

function entriesOf(wishes: ReadonlyMap<string, LedgerEntry | null>): ReadonlyMap<string, LedgerEntry> {
  return new Map([...wishes].flatMap(([key, entry]) => (entry === null ? [] : [[key, entry] as const])));
}

describe('what goes into the ledger', () => {
  test('E4: a wish keeps its place from when it was first seen', () => {
    const { wishes } = plan(scene([wisher('a', 'Welcome')], withRules({ perHour: 0 })));
    expect([...wishes]).toEqual([[`${uuidOf('a')} flow-1`, { state: 'waiting', at: noon, run: '', name: 'Welcome' }]]);
  });

  test('E6: an enrolment that the result column proves goes into the ledger', () => {
    const proven = person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } });
    const { wishes } = plan(scene([proven], withRules({}, { ledger: ledger([], false) })));
    expect([...wishes]).toEqual([
      [`${uuidOf('a')} flow-1`, { state: 'enrolled', at: Date.UTC(2026, 4, 1), run: '', name: 'Welcome' }],
    ]);
    const later = plan(scene([proven], withRules({}, { ledger: { entries: entriesOf(wishes), isTrusted: true } })));
    expect(later.changes).toEqual([]);
  });

  test('E6: the plan counts the wishes that an approval has to cover', () => {
    const input = scene([wisher('a', 'Welcome'), wisher('b', 'Welcome')], withRules({}, { ledger: ledger([], false) }));
    expect(plan(input).counts.enrolments).toBe(2);
  });
});

describe('I10: the ledger of a contact that was deleted and entered again', () => {
  const relinks = new Map([[uuidOf('b'), uuidOf('a')]]);
  const after = (entry: Partial<LedgerEntry>) =>
    carriedOver(ledger([['a', 'flow-1', { name: 'Welcome', ...entry }]]), relinks);

  test.each(['waiting', 'refused', 'cancelled', 'cancelling'] as const)(
    'E1, E5, E8, I10: what is %s goes on with the new uuid as it is',
    (state) => {
      const [[key, entry] = [], ...others] = after({ state, at: 1, calls: [1] });
      expect([key, entry]).toEqual([`${uuidOf('b')} flow-1`, { state, at: 1, run: 'r1', name: 'Welcome', calls: [1] }]);
      expect(others).toEqual([[`${uuidOf('a')} flow-1`, null]]);
    },
  );

  test.each(['enrolled', 'skipped', 'unknown'] as const)(
    'E1, L8, I10: what is %s is unknown of the new contact, and its calls count for the cap',
    (state) => {
      const entry = after({ state, at: 1 }).get(`${uuidOf('b')} flow-1`);
      expect(entry).toMatchObject({ state: 'unknown', at: 1, calls: callsOf({ state, at: 1, run: '' }) });
    },
  );

  test('I10, L10: what an earlier run stored under the new uuid is kept', () => {
    const both = ledger([
      ['a', 'flow-1', {}],
      ['b', 'flow-1', { state: 'refused' }],
    ]);
    expect(carriedOver(both, relinks).size).toBe(0);
  });

  test('I10, E4: it goes on while the automations cannot be read, too', () => {
    const input = scene(
      [
        person('a', { crm: null, row: { wish: 'Welcome' } }),
        newContact('b', { email: 'a@acme.test', network_id: null }),
      ],
      {
        mapping: withRules().mapping!,
        automationsUnread: 'HTTP 500',
        asked: { a: gone },
        ledger: ledger([['a', 'flow-1', { state: 'cancelled' }]]),
      },
    );
    expect([...plan(input).wishes.keys()]).toEqual([`${uuidOf('b')} flow-1`, `${uuidOf('a')} flow-1`]);
  });
});

test('E2, L12: a create that enrols names the automation', () => {
  const input = scene([newRow('a', {}, { wish: 'welcome' })], withRules({}, { asked: { 2: gone } }));
  expect(plan(input).changes).toMatchObject([{ enrol: 'flow-1', reason: 'new in the sheet, and into Welcome' }]);
});

describe('E5: a wish that was taken back', () => {
  const wishesOf = (entry: Partial<LedgerEntry>) => [
    ...plan(scene([wisher('a', '')], withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', entry]]) })))
      .wishes,
  ];
  const forgotten = [[`${uuidOf('a')} flow-1`, null]];

  test('E5: is forgotten if it was not carried out', () => {
    expect(wishesOf({ state: 'waiting' })).toEqual(forgotten);
    expect(wishesOf({ state: 'refused' })).toEqual(forgotten);
  });

  test('E4, E5: is kept while a call for it counts for the cap', () => {
    expect(wishesOf({ state: 'refused', calls: [noon - minutes(59)] })).toEqual([]);
    expect(wishesOf({ state: 'refused', calls: [noon - minutes(90), noon - minutes(60)] })).toEqual(forgotten);
  });

  test('E5: is kept if it may have been carried out', () => {
    for (const state of ['enrolled', 'unknown', 'cancelling', 'skipped'] as const)
      expect(wishesOf({ state })).toEqual([]);
  });
});

describe('E1, retry: asked for again', () => {
  test('E4: waits its turn like others, and earlier calls still count for the cap', () => {
    const at = noon - minutes(30);
    const input = scene(
      [wisher('a', 'Welcome')],
      withRules(
        { perHour: 1 },
        {
          ledger: ledger([['a', 'flow-1', { state: 'enrolled', at }]]),
          requests: { retry: new Set([`${uuidOf('a')}/flow-1`]) },
        },
      ),
    );
    expect([...plan(input).wishes.values()]).toEqual([
      {
        state: 'waiting',
        at: noon,
        run: '',
        name: 'Welcome',
        calls: [at],
        before: { state: 'enrolled', at, run: expect.any(String) },
      },
    ]);
    expect(plan(input).changes).toEqual([]);
  });

  test('E4: a wish that waits already keeps its place', () => {
    const input = scene(
      [wisher('a', 'Welcome')],
      withRules(
        { perHour: 0 },
        {
          ledger: ledger([['a', 'flow-1', { state: 'waiting', at: noon - minutes(5) }]]),
          requests: { retry: new Set([`${uuidOf('a')}/flow-1`]) },
        },
      ),
    );
    // Stored once more as it is: the retry is done with in that commit, before any call.
    expect([...plan(input).wishes]).toMatchObject([[expect.any(String), { state: 'waiting', at: noon - minutes(5) }]]);
  });
});

test('E4: calls that may have enrolled count for the cap; calls that surely did not are left out', () => {
  const calls = (['enrolled', 'intended', 'unknown', 'waiting', 'refused', 'skipped', 'cancelling'] as const).filter(
    (state) => callsOf({ state, at: noon, run: '' }).length > 0,
  );
  expect(calls).toEqual(['enrolled', 'intended', 'unknown']);
});

describe('E6: when the ledger counts as complete', () => {
  const trusted = (more: SceneMore) => plan(scene([wisher('a', 'Welcome')], more)).isLedgerTrusted;

  test('E6: not while wishes wait for an approval; once they are approved', () => {
    expect(trusted(withRules({}, { ledger: ledger([], false) }))).toBe(false);
    expect(trusted(withRules({}, { ledger: ledger([], false), requests: approve(1) }))).toBe(true);
    expect(trusted(withRules())).toBe(true);
  });

  const ofNew = (more: SceneMore = {}) => withRules({}, { ledger: ledger([], false), ...more });
  const wishes = (people: Parameters<typeof scene>[0], more: SceneMore = {}) => {
    const { isLedgerTrusted, counts } = plan(scene(people, ofNew(more)));
    return { isLedgerTrusted, enrolments: counts.enrolments };
  };
  const named = { id: '', wish: 'Welcome' };
  const unjudged = [
    {
      name: 'matches two contacts',
      people: [
        person('a', { base: null, row: named }),
        newContact('b', { email: 'a@acme.test', network_id: 'handle-a' }),
      ],
    },
    { name: 'has an ID that no contact has', people: [newRow('a', {}, { id: 'x', wish: 'Welcome' })] },
    {
      name: 'has the same key as another new row',
      people: [newRow('a', {}, named), newRow('a', { position: 'CEO' }, { id: '' })],
    },
    { name: 'has no key', people: [newRow('a', { email: null, network_id: null, company_name: null }, named)] },
    { name: 'names an archived automation', people: [wisher('a', 'Old')] },
    { name: 'names an unknown automation', people: [wisher('a', 'Welcom')] },
  ];

  test.each(unjudged)('E6, L8: not while a row $name, until its wish is approved, too', ({ people }) => {
    expect(wishes(people)).toEqual({ isLedgerTrusted: false, enrolments: 1 });
    expect(wishes(people, { requests: approve(1) })).toEqual({ isLedgerTrusted: true, enrolments: 0 });
    expect(plan(scene(people, withRules())).counts.enrolments).toBe(0);
  });

  test('E6: rows without a wish, new rows, and rows that prove what they wish for need no approval', () => {
    const people = [
      newRow('a', {}, { id: 'x', wish: ' ' }),
      newRow('b', {}, { id: 'y', wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' }),
      newRow('c', {}, { id: '', wish: 'Welcome' }),
    ];
    expect(wishes(people, { asked: { 4: gone } })).toEqual({ isLedgerTrusted: true, enrolments: 0 });
  });

  test('E6, W10: not while a row with a wish waits to settle, and nobody has to approve that', () => {
    const people = [newRow('a', {}, { id: '', wish: 'Welcome' })];
    const more = { asked: { 2: gone }, waitsToSettle: true };
    expect(wishes(people, more)).toEqual({ isLedgerTrusted: false, enrolments: 0 });
    const strays = new Map([[rowKey({ values: packedOf(valuesOf('a')) }), { since: noon - 10_000, wish: 'Welcome' }]]);
    expect(wishes(people, { ...more, strays })).toEqual({ isLedgerTrusted: true, enrolments: 0 });
  });

  test('E6, L10: a contact that a run made needs no approval, also if that run died before its row had the ID', () => {
    const key = rowKey({ values: packedOf({ ...valuesOf('b'), 'custom:segment': null }) });
    const people = [
      wisher('a', 'Welcome'),
      person('b', { base: null, sheet: { 'custom:segment': null }, row: named }),
      newRow('c', {}, { id: 'x', wish: 'Welcome' }),
    ];
    const { changes, counts } = plan(
      scene(
        people,
        ofNew({
          ledger: ledger([['a', 'flow-1', { state: 'waiting', isOurs: true }]], false),
          strays: new Map([[key, { since: noon, isCounted: true as const }]]),
        }),
      ),
    );
    expect(changes.filter(({ op }) => op === 'enrol').map(({ uuid }) => uuid)).toEqual([uuidOf('a'), uuidOf('b')]);
    expect(counts.enrolments).toBe(1);
  });

  test('E6: a row that proves an enrolment in an automation that is archived keeps the proof', () => {
    const proven = person('a', { row: { wish: 'Old', wishResult: 'enrolled 2026-05-01 in Old' } });
    const planned = plan(scene([proven], ofNew()));
    expect(planned.wishResults.get(2)).toEqual([{ automation: 'flow-3', text: 'enrolled 2026-05-01 in Old' }]);
    expect(planned.isLedgerTrusted).toBe(true);
  });

  test('E6: not after a run that could not read the automations; an empty ledger does without enrolment rules', () => {
    expect(trusted({ mapping: withRules().mapping!, ledger: ledger([], false) })).toBe(false);
    expect(trusted({ mapping: withRules().mapping! })).toBe(true);
    expect(trusted({ ledger: ledger([], false) })).toBe(true);
  });

  test('E6, S3: nor does an empty ledger of a state that lost what it had', () => {
    const known = (isIncomplete: object) =>
      plan(scene([person('a')], { ledger: { ...ledger([], false), ...isIncomplete } })).isLedgerTrusted;
    expect(known({})).toBe(true);
    expect(known({ isIncomplete: true })).toBe(false);
  });
});

describe('what the row is told', () => {
  test.each([
    { state: 'enrolled', says: 'enrolled 2026-05-04 in Welcome' },
    { state: 'skipped', says: 'skipped: already in Welcome' },
    { state: 'cancelling', says: 'cancelling: wished for again, only retry enrols again' },
    { state: 'unknown', says: 'unknown: look in the service whether Welcome has it' },
    { state: 'intended', says: 'unknown: look in the service whether Welcome has it' },
  ] as const)('E1, E3, E5: $state reads "$says"', ({ state, says }) => {
    const input = scene([wisher('a', 'Welcome')], withRules({}, { ledger: ledger([['a', 'flow-1', { state }]]) }));
    expect(plan(input).wishResults.get(2)).toEqual([{ automation: 'flow-1', text: says }]);
  });

  const told = (people: Parameters<typeof scene>[0], more: SceneMore) =>
    [...plan(scene(people, more)).wishResults].map(([row, said]) => [row, said.map(({ text }) => text).join('; ')]);

  test('E1: until the call is made, that it is tried; a new row is told so of each wish', () => {
    const people = [wisher('a', 'Welcome'), newRow('b', {}, { wish: 'Welcome, Nurture' })];
    const again = 'waiting: is tried in the next run';
    expect(told(people, withRules({}, { asked: { 3: gone } }))).toEqual([
      [2, again],
      [3, `${again}; ${again}`],
    ]);
  });

  test('E4: that the wish waits, is vetoed or is refused, and why', () => {
    const people = [
      wisher('a', 'Welcome', { status: 'replied' }),
      wisher('b', 'Old'),
      wisher('c', 'Nothing'),
      wisher('d', 'Welcome'),
      newRow('e', { status: 'replied' }, { wish: 'Welcome' }),
      newRow('f', {}, { wish: 'Old' }),
      newRow(1, {}, { wish: 'Nothing' }),
      newRow(2, {}, { wish: 'Welcome' }),
    ];
    const asked = { 6: gone, 7: gone, 8: gone, 9: gone };
    const rows = told(people, withRules({ perHour: 0, unless: { status: ['replied'] } }, { asked }));
    expect(rows.toSorted(([a], [b]) => Number(a) - Number(b))).toEqual([
      [2, 'vetoed: Status is replied'],
      [3, 'refused: the automation "Old" is archived'],
      [4, 'refused: no such automation: "Nothing"'],
      [5, 'waiting: 0 ahead, cap 0/h'],
      [6, 'vetoed: Status is replied'],
      [7, 'refused: the automation "Old" is archived'],
      [8, 'refused: no such automation: "Nothing"'],
      [9, 'waiting: 1 ahead, cap 0/h'],
    ]);
  });

  test('E4: why the service refused, in its words if there are any', () => {
    const rows = (message?: string) =>
      told(
        [wisher('a', 'Welcome')],
        withRules({}, { ledger: ledger([['a', 'flow-1', { state: 'refused', ...(message && { message }) }]]) }),
      );
    expect(rows('no sender')).toEqual([[2, 'refused: no sender']]);
    expect(rows()).toEqual([[2, 'refused: by the service']]);
  });

  test('E5: that it is being cancelled, until a reading shows it', () => {
    for (const state of ['enrolled', 'cancelling'] as const) {
      const more = withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', { state }]]) });
      expect(told([wisher('a', '')], more)).toEqual([[2, 'cancelling']]);
    }
  });

  test('E6: a proven enrolment stays in the result column beside the result of another wish', () => {
    const people = [person('a', { row: { wish: 'Welcome, Nurture', wishResult: 'enrolled 2026-05-01 in Welcome' } })];
    expect(told(people, withRules({}, { ledger: ledger([], false) }))).toEqual([
      [2, 'enrolled 2026-05-01 in Welcome; held: the state or the column is new, approve it once'],
    ]);
  });

  test('E1: a row without a wish keeps what was done, and loses what was not carried out', () => {
    const cleared = (wishResult: string) => told([person('a', { row: { wish: ' ', wishResult } })], withRules());
    expect(cleared('enrolled 2026-05-01 in Welcome; waiting: 3 ahead, cap 1/h')).toEqual([
      [2, 'enrolled 2026-05-01 in Welcome'],
    ]);
    for (const text of ['refused: x', 'vetoed: x', 'held: x', 'skipped: already a contact, look'])
      expect(cleared(text)).toEqual([[2, '']]);
    for (const text of ['', 'enrolled 2026-05-01 in Welcome', 'skipped: already in Welcome'])
      expect(cleared(text)).toEqual([]);
  });

  test('W10: nothing is written into a row whose wish has not settled', () => {
    expect(told([wisher('a', 'Welcome')], withRules({}, { waitsToSettle: true }))).toEqual([]);
  });

  test('E4: a waiting entry with a message says what it waits for', () => {
    const entry = { state: 'waiting', at: noon, run: 'r1' } as const;
    expect(resultText(entry, 'Welcome')).toBe('waiting: is tried in the next run');
    expect(resultText({ ...entry, message: 'too many requests' }, 'Welcome')).toBe('waiting: too many requests');
  });

  test('E4, W5: a refusal is shown in the words of the service, or as a refusal by the service', () => {
    const entry = { state: 'refused', at: noon, run: 'r1' } as const;
    expect(resultText({ ...entry, message: 'no sender' }, 'Welcome')).toBe('refused: no sender');
    expect(resultText(entry, 'Welcome')).toBe('refused: by the service');
  });

  test('E3: an enrolment of unknown outcome has an id of its own, which retry takes', () => {
    const input = scene(
      [wisher('a', 'Welcome')],
      withRules({}, { ledger: ledger([['a', 'flow-1', { state: 'unknown' }]]) }),
    );
    expect(plan(input).problems.map(({ id }) => id)).toEqual([`${uuidOf('a')}/flow-1`]);
  });
});

test('E4: a veto ignores case and white space, and reads the present values', () => {
  const rules = withRules({ unless: { status: ['Replied', 'Unsubscribed'] } }).mapping!;
  const veto = (status: string | null) => vetoOf(rules, unpack(packedOf({ ...valuesOf('a'), status })));
  expect([veto('ok'), veto(null), veto(' replied '), veto('UNSUBSCRIBED')]).toEqual([
    undefined,
    undefined,
    'Status is Replied',
    'Status is Unsubscribed',
  ]);
});

test('E1: a name that contains a comma is found, also among others', () => {
  const comma = { uuid: 'flow-6', name: 'Hello, again', status: 'on' };
  expect(readWish('Welcome, hello, again,x', [...automations, comma])).toEqual({
    automations: [automations[0], comma],
    unknown: [{ text: 'x', reason: 'no such automation' }],
  });
});

test('E4, V3, V4: a value of a veto that is unknown in the row, or in all readings of the contact, may forbid the enrolment', () => {
  const rules = withRules({ unless: { status: ['replied'], 'custom:segment': ['rival'] } }).mapping!;
  const values = (more: Values = {}) => unpack(packedOf({ ...valuesOf('a'), ...more }));
  const [known, unknown] = [values(), values({ status: undefined })];
  const replied = values({ status: 'replied' });
  const segment = values({ 'custom:segment': undefined });
  const noCell = { kind: 'waiting', reason: 'waiting: Status may forbid it, and its cell cannot be read' };
  const notShown = { kind: 'waiting', reason: 'waiting: Status may forbid it, and the service does not show it' };
  const vetoed = { kind: 'ignored', reason: 'vetoed: Status is replied' };
  expect(refrainFrom(rules, known)).toBeUndefined();
  expect(refrainFrom(rules, known, [unknown, known])).toBeUndefined();
  expect(refrainFrom(rules, known, [segment])).toBeUndefined();
  expect(refrainFrom(rules, unknown, [known])).toEqual(noCell);
  expect(refrainFrom(rules, known, [unknown, unknown])).toEqual(notShown);
  expect(refrainFrom(rules, unknown, [replied])).toEqual(vetoed);
  expect(refrainFrom(rules, replied, [unknown])).toEqual(vetoed);
});

test('E4: a veto of a column that is not in the mapping applies to no contact', () => {
  const rules = withRules({ unless: { headline: ['x'] } }).mapping!;
  expect(vetoOf(rules, unpack(packedOf(valuesOf('a'))))).toBeUndefined();
  expect(refrainFrom(rules, unpack(packedOf(valuesOf('a'))))).toBeUndefined();
});

test('E1: a name twice in one cell is one wish', () => {
  expect(readWish('Welcome, welcome ,, flow-1', automations)).toEqual({ automations: [automations[0]], unknown: [] });
});
