// The protocol by which workers share a job, explored to its end; and five wrong ones, each with the shortest way to its fault.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { explore } from './explore.ts';
import type { Protocol, Setting } from './model.ts';

const right: Protocol = {
  refusesStale: true,
  readsIntents: true,
  intendsFirst: true,
  checksTime: true,
  hasFence: true,
};
const newContact: Setting = { enrols: 'new', writes: 'cells', clockStops: false };
const stoppedClock: Setting = { enrols: 'existing', writes: 'batch', clockStops: true };

describe('H1, H2, H3, H4: the protocol of several workers', () => {
  test.each([
    { it: 'a new contact, cells through pins, clocks that go on', setting: newContact, states: 161_030 },
    { it: 'a contact that exists, one batch, clocks that stop', setting: stoppedClock, states: 76_447 },
  ])('H1, H4, E1: in no state is anything done twice, overwritten late, or forgotten ($it)', ({ setting, states }) => {
    expect(explore(right, setting)).toEqual({ states, fault: undefined });
    const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');
    expect(page).toContain(states.toLocaleString('en-US'));
  });

  test('H1: a store that takes a write of an earlier epoch', () => {
    expect(explore({ ...right, refusesStale: false }, newContact).fault).toEqual({
      what: 'a holder that was taken over has saved',
      trace: [
        'A takes the lease (epoch 1)',
        'A finds no intent',
        'A is suspended until its lease runs out',
        'B takes the lease (epoch 2)',
        'A saves its intent',
      ],
    });
  });

  test('H2: a holder that does not read the intents of the one before', () => {
    expect(explore({ ...right, readsIntents: false }, newContact).fault).toEqual({
      what: 'the contact is enrolled twice',
      trace: [
        'A takes the lease (epoch 1)',
        'A finds no intent',
        'A saves its intent',
        'A sends the enrolment',
        'A has its enrolment done by the service',
        'A is suspended until its lease runs out',
        'B takes the lease (epoch 2)',
        'B does not look at the intent',
        'B saves its intent',
        'B sends the enrolment',
        'B has its enrolment done by the service',
      ],
    });
  });

  test('H2: an intent that is saved after its call', () => {
    expect(explore({ ...right, intendsFirst: false }, newContact).fault).toEqual({
      what: 'nothing in the ledger tells of a call that enrols',
      trace: ['A takes the lease (epoch 1)', 'A finds no intent', 'A sends the enrolment'],
    });
  });

  test('H3: a call that is sent although the lease does not outlast it', () => {
    expect(explore({ ...right, checksTime: false }, newContact).fault).toEqual({
      what: 'the contact is enrolled twice',
      trace: [
        'A takes the lease (epoch 1)',
        'A finds no intent',
        'A saves its intent',
        'A sends the enrolment',
        'A is suspended until its lease runs out',
        'B takes the lease (epoch 2)',
        'B finds an intent of an earlier holder',
        'B does not find the contact in the service',
        'A has its enrolment done by the service',
        'B saves its intent',
        'B sends the enrolment',
        'B has its enrolment done by the service',
      ],
    });
  });

  test('H4: batches without the fence', () => {
    expect(explore({ ...right, hasFence: false }, stoppedClock).fault).toEqual({
      what: 'a holder that was taken over has written into the sheet after its heir',
      trace: [
        'A takes the lease (epoch 1)',
        'A finds no intent',
        'A saves its intent',
        'A sends the enrolment',
        'A has its enrolment done by the service',
        'A hears that it enrolled',
        'A saves that it enrolled',
        'A sends its write to the sheet',
        'A is suspended until its lease runs out',
        'B takes the lease (epoch 2)',
        'B finds "enrolled" in the ledger',
        'B sends its write to the sheet',
        'B has its write done',
        'A has its write done',
      ],
    });
  });

  test('H4: pins of the holder before that are not removed', () => {
    const { fault } = explore({ ...right, hasFence: false }, { ...stoppedClock, writes: 'cells' });
    expect(fault?.what).toBe('a holder that was taken over has written into the sheet after its heir');
    expect(fault?.trace).toContain('A has its rows pinned');
  });

  test('H3: what cannot be fenced: the clock of a paused machine stops, and its contact is not there yet (docs/fleet.md)', () => {
    const { fault } = explore(right, { ...stoppedClock, enrols: 'new' });
    expect(fault?.what).toBe('the contact is enrolled twice');
    expect(fault?.trace.slice(0, 4)).toEqual([
      'A takes the lease (epoch 1)',
      'A finds no intent',
      'A saves its intent',
      'A is suspended until its lease runs out',
    ]);
  });
});
