// A model of how workers share a job: lease, epoch, intent, call, outcome, takeover, suspension, lost answers. Small enough to be
// explored to its end (explore.ts). It has one enrolment and one write to the sheet, two workers and an heir.
//
// A worker that is suspended takes no step while others do, for as long as it likes, or for ever, as if it had been killed. Its
// lease may end at any moment. A check and the sending after it are one step: docs/fleet.md names the window between them.

/** What each part of the protocol does; every part can be left out, to see that it is needed. */
export interface Protocol {
  /** H1: a write under an earlier epoch than the last one changes nothing. */
  readonly refusesStale: boolean;
  /** H2: who takes over reads the ledger, and takes what was intended for perhaps done. */
  readonly readsIntents: boolean;
  /** H2: the intent is saved before the call. */
  readonly intendsFirst: boolean;
  /** H3: a call is sent only while the lease outlasts it. */
  readonly checksTime: boolean;
  /** H4: batches carry the fence. */
  readonly hasFence: boolean;
}

export interface Setting {
  /** existing: nothing shows whether it was done (E3). new: the contact is created by the call, so that a look shows it. */
  readonly enrols: 'existing' | 'new';
  /** batch: one fenced batch (append, delete). cells: pins, and then a write through them that carries no fence. */
  readonly writes: 'batch' | 'cells';
  /** The clock of a suspended machine stops: it finds its lease as long as before. */
  readonly clockStops: boolean;
}

const workers = ['A', 'B', 'C'] as const;

export const ledgers = ['none', 'intended', 'unknown', 'enrolled'] as const;
type Ledger = (typeof ledgers)[number];
export const calls = ['enrol', 'take', 'clear', 'pins', 'write'] as const;
type Call = (typeof calls)[number];
export const fates = ['on its way', 'done', 'refused', 'lost'] as const;
export const steps = [
  'idle',
  'load',
  'look',
  'intend',
  'enrol',
  'enrolled?',
  'look again',
  'note enrolled',
  'note unknown',
  'note none',
  'read fence',
  'take',
  'taken?',
  'clear',
  'cleared?',
  'pins',
  'pinned?',
  'write',
  'written?',
  'save',
  'over',
] as const;
type Step = (typeof steps)[number];

export interface Worker {
  readonly step: Step;
  /** The epoch on the fence that it read. */
  readonly seen: number;
  /** Its call: on its way, or its answer. A call that was given up may be on its way still. */
  readonly call: Call | undefined;
  readonly fate: (typeof fates)[number] | undefined;
}

/** Worker n has the lease of epoch n + 1: workers are alike, so that the order of their names loses nothing. */
export interface State {
  readonly workers: readonly Worker[];
  /** The last lease that was given; 0: none. */
  readonly epoch: number;
  /** The last lease has ended: given back, or run out. */
  readonly isFree: boolean;
  readonly ledger: Ledger;
  /** How often the service has enrolled. It accepts a second time without a word. */
  readonly enrolments: number;
  /** The epoch on the fence; 0: there is none. */
  readonly fence: number;
  /** The epoch of those who have pins on the rows. */
  readonly pins: readonly number[];
  /** The latest epoch that wrote into the sheet. */
  readonly wroteLast: number;
  /** What broke an invariant in the step that led here. */
  readonly broken: string | undefined;
}

const idle: Worker = { step: 'idle', seen: 0, call: undefined, fate: undefined };

export const start: State = {
  workers: workers.map(() => idle),
  epoch: 0,
  isFree: true,
  ledger: 'none',
  enrolments: 0,
  fence: 0,
  pins: [],
  wroteLast: 0,
  broken: undefined,
};

export interface Move {
  /** In words. */
  readonly text: string;
  readonly to: State;
}

/** Every step that may come next. */
export function movesFrom(state: State, protocol: Protocol, setting: Setting): Move[] {
  return workers.flatMap((name, index) => [
    ...ownMoves(state, index, name, protocol, setting),
    ...movesAround(state, index, name, protocol, setting),
  ]);
}

/** Why a state must not be; undefined: it may. */
export function faultOf({ broken, enrolments, ledger, workers: all }: State): string | undefined {
  if (broken !== undefined) return broken;
  if (enrolments > 1) return 'the contact is enrolled twice';
  const isCalled = enrolments > 0 || all.some(({ call, fate }) => call === 'enrol' && fate === 'on its way');
  return isCalled && ledger === 'none' ? 'nothing in the ledger tells of a call that enrols' : undefined;
}

function ownMoves(state: State, index: number, name: string, protocol: Protocol, setting: Setting): Move[] {
  const own = state.workers[index]!;
  const epoch = index + 1;
  const go = (text: string, step: Step, more: Partial<State> = {}, self: Partial<Worker> = {}): Move => ({
    text: `${name} ${text}`,
    to: withWorker({ ...state, ...more }, index, { ...own, step, ...self }),
  });
  const isStale = state.epoch !== epoch;
  const end = (text: string) => go(text, 'over');

  /** A statement of the store: whole or not at all, and either way its answer may be lost. */
  const commit = (text: string, step: Step, more: Partial<State>): Move[] => {
    if (isStale && protocol.refusesStale) return [end(`cannot save: another has the lease. Its run ends`)];
    const broken = isStale ? { broken: 'a holder that was taken over has saved' } : {};
    return [
      go(text, step, { ...more, ...broken }),
      go(`${text}, and does not learn that it did`, 'over', { ...more, ...broken }),
      end('loses its connection to the store before it saves'),
    ];
  };
  /** Its clock tells it that the lease is over, unless that clock slept as well. */
  const knowsItIsOver = protocol.checksTime && !setting.clockStops && (isStale || state.isFree);
  const send = (call: Call, text: string, step: Step): Move[] => {
    if (knowsItIsOver) return [end('finds its lease over, and sends nothing')];
    return [go(text, step, {}, { call, fate: 'on its way' })];
  };
  const answered = { call: undefined, fate: undefined, seen: 0 } as const;
  /** Calls to the sheet may be on their way for longer than anybody waits: Google works on one for up to three minutes. */
  const awaitSheet = (next: Step, text: string): Move[] => {
    if (own.fate === 'on its way') return [end('waits no longer for an answer of the sheet')];
    if (own.fate === 'done') return [go(text, next, {}, answered)];
    return [go(own.fate === 'lost' ? 'gets no answer of the sheet' : 'is refused by the sheet', 'over', {}, answered)];
  };

  switch (own.step) {
    case 'idle': {
      if (!state.isFree || state.epoch !== index) return [];
      const given = { epoch, isFree: false };
      return [
        go(`takes the lease (epoch ${epoch})`, 'load', given),
        go(`takes the lease (epoch ${epoch}), and does not learn it`, 'over', given),
      ];
    }
    case 'load': {
      if (isStale) return [end('cannot load: another has the lease')];
      const { ledger } = state;
      if (ledger === 'none') return [go('finds no intent', protocol.intendsFirst ? 'intend' : 'enrol')];
      if (ledger !== 'intended') return [go(`finds "${ledger}" in the ledger`, firstOfSheet(protocol, setting))];
      if (!protocol.readsIntents) return [go('does not look at the intent', 'intend')];
      const isNew = setting.enrols === 'new';
      return [go('finds an intent of an earlier holder', isNew ? 'look' : 'note unknown')];
    }
    case 'look':
      return state.enrolments > 0
        ? [go('finds the contact in the service', 'note enrolled')]
        : [go('does not find the contact in the service', 'intend')];
    case 'intend':
      return commit('saves its intent', protocol.intendsFirst ? 'enrol' : firstOfSheet(protocol, setting), {
        ledger: 'intended',
      });
    case 'enrol':
      return send('enrol', 'sends the enrolment', 'enrolled?');
    case 'enrolled?': {
      if (own.fate === 'on its way') return [];
      if (own.fate === 'done')
        return [go('hears that it enrolled', protocol.intendsFirst ? 'note enrolled' : 'intend', {}, answered)];
      return [
        go('gets no answer of the service', setting.enrols === 'new' ? 'look again' : 'note unknown', {}, answered),
      ];
    }
    case 'look again':
      return state.enrolments > 0
        ? [go('finds the contact in the service', 'note enrolled')]
        : [go('does not find the contact in the service', 'note none')];
    case 'note enrolled':
      return commit('saves that it enrolled', firstOfSheet(protocol, setting), { ledger: 'enrolled' });
    case 'note unknown':
      return commit('saves that the outcome is unknown', firstOfSheet(protocol, setting), { ledger: 'unknown' });
    case 'note none':
      return commit('saves that nothing was done', firstOfSheet(protocol, setting), { ledger: 'none' });
    case 'read fence':
      return state.fence > epoch
        ? [end('finds the fence of a later holder')]
        : [go(`reads the fence (${state.fence || 'none'})`, 'take', {}, { seen: state.fence })];
    case 'take':
      return send('take', 'sends its fence', 'taken?');
    case 'taken?':
      return awaitSheet('clear', 'hears that the fence is its own');
    case 'clear':
      if (state.pins.some((each) => each !== epoch)) return send('clear', 'removes the pins of others', 'cleared?');
      return [go('finds no pins of others', setting.writes === 'cells' ? 'pins' : 'write')];
    case 'cleared?':
      return awaitSheet(setting.writes === 'cells' ? 'pins' : 'write', 'hears that the pins of others are gone');
    case 'pins':
      return send('pins', 'pins its rows', 'pinned?');
    case 'pinned?':
      return awaitSheet('write', 'hears that its rows are pinned');
    case 'write':
      return send('write', 'sends its write to the sheet', 'written?');
    case 'written?':
      return awaitSheet('save', 'hears that its write is done');
    case 'save':
      return isStale && protocol.refusesStale
        ? [end('cannot save: another has the lease. Its run ends')]
        : [
            go(
              'saves and gives the lease back',
              'over',
              isStale ? { broken: 'a holder that was taken over has saved' } : { isFree: true },
            ),
          ];
    case 'over':
      return [];
  }
}

function firstOfSheet({ hasFence }: Protocol, { writes }: Setting): Step {
  if (hasFence) return 'read fence';
  return writes === 'cells' ? 'pins' : 'write';
}

/** What happens to a worker: suspension, the end of its lease, and the way of its call. */
function movesAround(state: State, index: number, name: string, protocol: Protocol, setting: Setting): Move[] {
  const own = state.workers[index]!;
  const epoch = index + 1;
  const { call, fate } = own;
  const moves: Move[] = [];
  const be = (text: string, self: Partial<Worker>, more: Partial<State> = {}) =>
    moves.push({ text: `${name} ${text}`, to: withWorker({ ...state, ...more }, index, { ...own, ...self }) });

  // Nobody renews it. A call to the service that was sent in time has ended before that (H3).
  const isCallCovered = protocol.checksTime && call === 'enrol' && fate === 'on its way';
  if (state.epoch === epoch && !state.isFree && !isCallCovered)
    be('is suspended until its lease runs out', {}, { isFree: true });
  if (call && fate === 'on its way') {
    const { text, fate: outcome, ...more } = effectOf(state, call, own, epoch, protocol, setting);
    be(text, { fate: outcome }, more);
    be(`has its ${call === 'enrol' ? 'enrolment' : 'call to the sheet'} lost on the way`, { fate: 'lost' });
    if (outcome === 'done') be(`${text}, and the answer is lost`, { fate: 'lost' }, more);
  }
  return moves;
}

/** What the other side does when the call arrives. */
function effectOf(
  state: State,
  call: Call,
  { seen }: Worker,
  epoch: number,
  { hasFence }: Protocol,
  { writes }: Setting,
): Partial<State> & { readonly text: string; readonly fate: 'done' | 'refused' } {
  const refused = { text: 'has its call refused by the sheet: another fence stands there', fate: 'refused' } as const;
  const isHeld = !hasFence || state.fence === epoch;
  const hasWritten =
    epoch < state.wroteLast
      ? { broken: 'a holder that was taken over has written into the sheet after its heir' }
      : { wroteLast: epoch };
  switch (call) {
    case 'enrol':
      return { text: 'has its enrolment done by the service', fate: 'done', enrolments: state.enrolments + 1 };
    case 'take':
      return state.fence === seen || state.fence === epoch
        ? { text: 'has its fence put up', fate: 'done', fence: epoch }
        : refused;
    case 'clear':
      return isHeld
        ? { text: 'has the pins of others removed', fate: 'done', pins: state.pins.filter((each) => each === epoch) }
        : refused;
    case 'pins':
      return isHeld
        ? {
            text: 'has its rows pinned',
            fate: 'done',
            pins: [...new Set([...state.pins, epoch])].toSorted((a, b) => a - b),
          }
        : refused;
    case 'write': {
      // A write through pins carries no fence. Without its pins it writes nothing, and is answered all the same.
      if (writes === 'cells' && !state.pins.includes(epoch))
        return { text: 'has its write find no pins', fate: 'done' };
      if (writes === 'batch' && !isHeld) return refused;
      return { text: 'has its write done', fate: 'done', ...hasWritten };
    }
  }
}

/** A worker whose run is over hears no answer, and needs nothing that it knew. */
function withWorker(state: State, index: number, changed: Worker): State {
  const { call, fate } = changed;
  const isOnItsWay = fate === 'on its way';
  const worker: Worker =
    changed.step === 'over'
      ? { ...idle, step: 'over', ...(isOnItsWay && { call, fate, seen: changed.seen }) }
      : changed;
  return { ...state, workers: state.workers.map((each, at) => (at === index ? worker : each)) };
}
