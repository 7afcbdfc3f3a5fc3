// Counts how often each thing was exercised: rules, faults, kills, acts, laws.
import type { EngineEvent } from '../../src/engine/events.ts';
import type { Write } from './oracle/evidence.ts';
import type { Act, Step } from './scenario/scenario.ts';
import type { Setting } from './world/setting.ts';
import type { Sides } from './world/sides.ts';

export type Area =
  | 'rule'
  | 'fault'
  | 'kill'
  | 'power'
  | 'stop'
  | 'act'
  | 'step'
  | 'switch'
  | 'policy'
  | 'decision'
  | 'feed'
  | 'outbox'
  | 'pause'
  | 'mirror'
  | 'law'
  | 'read'
  | 'value'
  | 'notice'
  | 'allowed';

export class Coverage {
  readonly counts = new Map<Area, Map<string, number>>();
  #wasHeld = false;

  count(area: Area, name: string, times = 1): void {
    const counts = this.counts.get(area) ?? new Map<string, number>();
    this.counts.set(area, counts);
    counts.set(name, (counts.get(name) ?? 0) + times);
  }

  add(other: Readonly<Record<string, Readonly<Record<string, number>>>>): void {
    for (const [area, counts] of Object.entries(other)) {
      for (const [name, times] of Object.entries(counts)) this.count(area as Area, name, times);
    }
  }

  toJson(): Record<string, Record<string, number>> {
    return Object.fromEntries([...this.counts].map(([area, counts]) => [area, Object.fromEntries(counts)]));
  }

  setting({ switches, ...policies }: Setting): void {
    for (const [name, value] of Object.entries(switches)) this.count('switch', `${name} ${JSON.stringify(value)}`);
    const { conflict, blank, onRowDeleted, onContactDeleted, limits, moveToList, isListMissing } = policies;
    const shown = { conflict, blank, onRowDeleted, onContactDeleted, limits, moveToList, isListMissing };
    for (const [name, value] of Object.entries(shown)) this.count('policy', `${name} ${value}`);
    for (const { direction } of policies.fields) this.count('policy', `direction ${direction}`);
    if (policies.automation) this.count('policy', `automation on_clear ${policies.automation.onClear}`);
  }

  step(step: Step): void {
    this.count('step', 'both' in step && step.both ? `${step.do} (two at once)` : step.do);
  }

  act({ side, what }: Act): void {
    this.count('act', `${side} ${what}`);
  }

  /** Faults of Sheets that struck. Faults of the service are counted when they strike. */
  faultsMet({ sheets }: Sides): void {
    for (const { fault } of sheets.log.entries) if (fault !== undefined) this.count('fault', `sheet ${fault}`);
  }

  /** A value was carried from one side to the other. */
  write({ field, after, isUnseen, isTyped }: Write): void {
    this.count('value', after === '' ? 'blank' : 'text');
    if (after !== after.trim() || after !== after.normalize('NFC') || /[A-Z]+@|^[=+'@]|^0/.test(after))
      this.count('value', 'odd form');
    if (field === 'email' || field === 'network_id') this.count('value', 'key');
    if (after.includes('@example.com')) this.count('value', 'placeholder address');
    if (isUnseen && isTyped) this.count('allowed', 'L1: typed after the look, or not shown yet by the search');
  }

  engine(event: EngineEvent): void {
    if (event.type === 'change-done') {
      const { change, outcome } = event;
      const rules = new Set([change.rule, ...change.fields.map(({ rule }) => rule)]);
      for (const rule of rules) this.count('rule', rule);
      if (outcome.kind === 'moved') this.count('rule', 'W3');
      // The reading right before a deletion showed that a person had changed the contact.
      if (outcome.kind === 'moved' && change.op === 'delete') this.count('rule', 'D5');
      if (outcome.kind === 'unknown') this.count('rule', 'W4');
    }
    if (event.type === 'change-done' && event.change.op === 'create' && event.change.enrol !== undefined)
      this.count('value', 'created and enrolled in one call');
    if (event.type === 'notice') this.count('notice', event.message.replaceAll(/[\w-]*\d[\w-]*|"[^"]*"/g, '*'));
    if (event.type !== 'run-ended') return;
    const { created, updated } = event.report.counts;
    if (created > 0 && updated > 0) this.count('value', 'creates and updates in one run');
    if (event.report.error?.includes('is being run by process')) this.count('notice', 'is being run by process');
    const isHeld = event.report.holds.length > 0;
    if (this.#wasHeld && !isHeld && event.report.status !== 'failed') this.count('value', 'went on after being held');
    this.#wasHeld = isHeld;
    for (const { rule } of event.report.problems) this.count('rule', rule);
    for (const { rule } of event.report.holds) this.count('rule', rule);
    this.count('rule', 'W12');
  }
}
