// Faults that readers of the program thought of, one text of one file each, with the tests that notice them. Those that nothing
// notices are in docs/testing.md alone.

export interface Sabotage {
  readonly name: string;
  /** Below src. */
  readonly file: string;
  /** Stands in the file once. */
  readonly text: string;
  readonly instead: string;
  /** Below test; patterns of files. */
  readonly tests: readonly string[];
}

export const sabotages: readonly Sabotage[] = [
  {
    name: 'cells of unknown outcome are sent again unverified',
    file: 'sheets/google/update.ts',
    text: `    const still = verifyAll(update.call.context, now, ready);
    // A row`,
    instead: `    const still = ready;
    // A row`,
    tests: ['sheets/update.test.ts'],
  },
  {
    name: 'a run that could not remove its marks counts as idle',
    file: 'engine/sync/remember.ts',
    text: 'pulled.snapshot.leftovers === 0',
    instead: 'pulled.snapshot.leftovers >= 0',
    tests: ['engine/idle.test.ts'],
  },
  {
    name: 'a run that could not remove its marks notes that nothing is to be done',
    file: 'engine/sync/quiet.ts',
    text: 'snapshot.leftovers === 0',
    instead: 'snapshot.leftovers >= 0',
    tests: ['engine/idle.test.ts'],
  },
  {
    name: 'a run of a feed that could not remove its marks counts as idle',
    file: 'engine/feed/feed.ts',
    text: 'pulled.snapshot.leftovers === 0',
    instead: 'pulled.snapshot.leftovers >= 0',
    tests: ['engine/feed/rules.test.ts'],
  },
  {
    name: 'the intent of a feed is not stored',
    file: 'engine/feed/feed.ts',
    text: 'if (intents.size > 0) await lease.commit',
    instead: 'if (intents.size > 1e9) await lease.commit',
    tests: ['engine/feed/rules.test.ts'],
  },
  {
    name: 'a tombstone is ignored when a contact is asked for',
    file: 'crm/outreach/contacts/contacts.ts',
    text: 'uuids.filter((uuid) => !tombstones.has(uuid))',
    instead: 'uuids',
    tests: ['crm/contract/contract.test.ts'],
  },
  {
    name: 'a tombstone is ignored when a contact is looked up',
    file: 'crm/outreach/contacts/contacts.ts',
    text: 'if (row && !tombstones.has(row.uuid))',
    instead: 'if (row)',
    tests: ['crm/contract/contract.test.ts'],
  },
  {
    name: 'a deletion is not put off by a failed change that shares its key',
    file: 'sync/settle/due-deletes.ts',
    text: ' || keys.of(valuesOf(plan, change.uuid)).some((key) => openKeys.has(key))',
    instead: '',
    tests: ['sync/*.test.ts', 'engine/deletions.test.ts'],
  },
  {
    name: 'the note of a step that the history has is not deleted',
    file: 'engine/sync/commit.ts',
    text: 'done = [...done, ...open];',
    instead: '',
    tests: ['engine/recovery.test.ts', 'engine/writes.test.ts', 'engine/first.test.ts', 'engine/runs.test.ts'],
  },
  {
    name: 'custom fields that another contact took pass as written',
    file: 'crm/outreach/contacts/contacts.ts',
    text: 'if (row.uuid === uuid) return',
    instead: 'if (row.uuid !== "") return',
    tests: ['crm/contacts.test.ts'],
  },
  {
    name: 'a decision for a cell of a copied row is done with',
    file: 'engine/sync/commit.ts',
    text: 'return held.has(record) && sidesAsDecided(',
    instead: 'return false && sidesAsDecided(',
    tests: ['operator/resolve-seen.test.ts'],
  },
  {
    name: 'a decision for a cell with a formula is done with',
    file: 'engine/sync/commit.ts',
    text: ' || held.has(request.id)) return true;',
    instead: ') return true;',
    tests: ['operator/resolve-seen.test.ts'],
  },
  {
    name: 'a decision that could not be carried out is done with',
    file: 'engine/sync/commit.ts',
    text: 'if (open.has(request.id) || open.has(record) || held.has(request.id)) return true;',
    instead: 'if (held.has(request.id)) return true;',
    tests: [
      'operator/resolve.test.ts',
      'operator/resolve-seen.test.ts',
      'engine/refusals.test.ts',
      'engine/recovery.test.ts',
    ],
  },
  {
    name: 'a decision of a stopped run is done with',
    file: 'engine/sync/commit.ts',
    text: 'if (unbegun.has(record)) return true;',
    instead: '',
    tests: ['engine/stop.test.ts', 'operator/resolve.test.ts', 'operator/retry.test.ts'],
  },
  {
    name: 'the history of an outbox is written before its commit',
    file: 'engine/outbox/ledger.ts',
    text: `      await lease.commit({ ledger: { put: asStored(changed) }, outbox });
      learn(changed);
      told = [];
      await lease.appendHistory(lines);`,
    instead: `      await lease.appendHistory(lines);
      await lease.commit({ ledger: { put: asStored(changed) }, outbox });
      learn(changed);
      told = [];`,
    tests: ['engine/outbox/*.test.ts'],
  },
  {
    name: 'counts of records that were approved one by one are not stored before the first write',
    file: 'engine/sync/run.ts',
    text: 'if (decided.stillHeld)\n    await lease.commit',
    instead: 'if (decided.stillHeld === undefined)\n    await lease.commit',
    tests: ['operator/approve-records.test.ts', 'engine/guards.test.ts'],
  },
  {
    name: 'bytes of a batch whose sync failed are not cut off',
    file: 'state/file/journal.ts',
    text: 'await cutTo(file, start);\n        throw',
    instead: 'throw',
    tests: ['state/disk-trouble.test.ts', 'state/crash.test.ts'],
  },
  {
    name: 'a batch that failed in the base stays in the outbox',
    file: 'state/file/sync-state.ts',
    text: 'if (forLedger) await outbox.retract(lock);',
    instead: '',
    tests: ['state/disk-trouble.test.ts', 'state/crash.test.ts'],
  },
  {
    name: 'the folder of requests is not synced after one was removed',
    file: 'state/file/requests.ts',
    text: 'if (ids.length > 0) await syncFolder(disk, folder);',
    instead: '',
    tests: ['state/crash.test.ts'],
  },
  {
    name: 'a line of the history is written on to half a line',
    file: 'state/file/history.ts',
    text: "isTorn ? newline : ''",
    instead: "''",
    tests: ['state/history.test.ts', 'state/crash.test.ts', 'state/disk-trouble.test.ts'],
  },
  {
    name: 'a reader does not read again what was folded meanwhile',
    file: 'state/file/reading.ts',
    text: 'const readAttemptsMax = 5;',
    instead: 'const readAttemptsMax = 1;',
    tests: ['state/late.test.ts'],
  },
  {
    name: 'a reader goes by its memory although another process has written',
    file: 'state/file/sync-state.ts',
    text: 'return stamps === (await readStamps(places));',
    instead: 'return stamps !== "";',
    tests: ['state/file.test.ts', 'state/kept-records.test.ts'],
  },
  {
    name: 'a glance goes by its memory although another process has written',
    file: 'state/file/sync-state.ts',
    text: 'return known?.stamps === (await readStamps(places)) ? known : undefined;',
    instead: 'return known;',
    tests: ['state/kept-records.test.ts'],
  },
  {
    name: 'a log whose last batch is only in the cache of the system is gone on with unsynced',
    file: 'state/file/journal.ts',
    text: `        await file.datasync();
      } catch {
        // No later sync`,
    instead: `        await file.size();
      } catch {
        // No later sync`,
    tests: ['state/lying-disk.test.ts', 'state/crash.test.ts'],
  },
  {
    name: 'what a failed sync of a killed process left is synced again and relied on',
    file: 'state/file/journal.ts',
    text: `        // No later sync writes the data of a failed one: Linux counts them as written (fsync(2), "ERRORS").
        unsure = true;`,
    instead: '',
    tests: ['state/lying-disk.test.ts'],
  },
  {
    name: 'damage counts at its first reading',
    file: 'state/file/reading.ts',
    text: 'faults === faultsBefore',
    instead: 'faults !== faultsBefore',
    tests: ['state/lying-disk.test.ts'],
  },
  {
    name: 'a batch in the place of the header of a log passes for one',
    file: 'state/file/log.ts',
    text: "'schema' in entry && 'sync' in entry",
    instead: "'generation' in entry",
    tests: ['state/lying-disk.test.ts'],
  },
  {
    name: 'a log that lost its end is not noticed by the next commit',
    file: 'state/file/sync-state.ts',
    text: 'await Promise.all([base.verify(), outbox.verify()]);',
    instead: '',
    tests: ['state/lying-disk.test.ts'],
  },
  {
    name: 'rows of an earlier run stay noted when new ones cannot be',
    file: 'state/file/rows.ts',
    text: '      await unlinkIfThere(disk, file);\n      throw error;',
    instead: '      throw error;',
    tests: ['state/disk-trouble.test.ts'],
  },
  {
    name: 'after the mapping changed the scan asks for changes alone',
    file: 'engine/sync/pull.ts',
    text: 'request.isFull || isMappingNew ?',
    instead: 'request.isFull ?',
    tests: ['engine/mapping.test.ts'],
  },
  {
    name: 'contacts that got no row are forgotten if they cannot be read',
    file: 'engine/sync/pull.ts',
    text: 'unplaced.failure === undefined && (report.whole',
    instead: '(report.whole',
    tests: ['engine/incomplete.test.ts'],
  },
  {
    name: 'contacts that got no row are forgotten after a restart',
    file: 'engine/sync/pull.ts',
    text: 'context.session.unplaced ?? facts.unplaced ?? []',
    instead: 'context.session.unplaced ?? []',
    tests: ['engine/identity.test.ts', 'engine/refusals.test.ts', 'engine/writes.test.ts', 'engine/copies.test.ts'],
  },
  {
    name: 'a call in flight is forgotten as soon as its row is gone',
    file: 'engine/sync/in-flight.ts',
    text: 'if (number === undefined && isLate)',
    instead: 'if (number === undefined)',
    tests: ['engine/enrolment/rules.test.ts'],
  },
  {
    name: 'after the end was asked for, uuids of new contacts do not go into their rows',
    file: 'engine/sync/push-sheet.ts',
    text: 'if (context.request.signal.aborted && !hasIds) break;',
    instead: 'if (context.request.signal.aborted) break;',
    tests: ['engine/stop.test.ts'],
  },
  {
    name: 'an update of which one of two calls was made counts as not begun',
    file: 'engine/sync/push-crm.ts',
    text: 'if (!contact || !isUnbegun(error, context)) throw error;',
    instead: 'throw error;',
    tests: ['engine/stop.test.ts'],
  },
  {
    name: 'an enrolment that is tried again forgets the calls of the hour before',
    file: 'engine/enrolment/calls.ts',
    text: 'callsOf(known).filter((each) => each > at - callsKeptMs)',
    instead: 'callsOf(known).filter((each) => each > at)',
    tests: ['engine/enrolment/rules.test.ts'],
  },
  {
    name: 'a message of unknown outcome does not count for the cap',
    file: 'engine/outbox/send.ts',
    text: 'const calls = [...earlier, crm.now()];',
    instead: 'const calls = earlier;',
    tests: ['engine/outbox/*.test.ts'],
  },
  {
    name: 'an approval that did not cover the plan stays for the next one',
    file: 'engine/held.ts',
    text: `isApproval(request) || request.kind === 'run' ? [id] : []`,
    instead: `request.kind === 'run' ? [id] : []`,
    tests: ['engine/guards.test.ts', 'operator/decisions.test.ts', 'operator/approve-records.test.ts'],
  },
  {
    name: 'a held plan of other records keeps the digest of the one that was seen',
    file: 'engine/held.ts',
    text: 'if (hasSameCounts && digestsOf(known.records) === digestsOf(records))',
    instead: 'if (hasSameCounts)',
    tests: ['operator/approve-records.test.ts'],
  },
  {
    name: 'a row that was edited since the snapshot is deleted',
    file: 'sheets/google/remove.ts',
    text: "else if (columns.length > 0) item.outcome = { kind: 'changed-meanwhile', columns };",
    instead: '',
    tests: ['sheets/remove.test.ts', 'sheets/contract/google.test.ts'],
  },
  {
    name: 'a deletion whose answer was lost counts as done by another person',
    file: 'sheets/google/remove.ts',
    text: "if (sent.has(each) && !view.rowByPin.has(each.pin)) each.item.outcome = { kind: 'removed' };",
    instead: "if (sent.has(each) && !view.rowByPin.has(each.pin)) each.item.outcome = { kind: 'row-gone' };",
    tests: ['sheets/remove.test.ts', 'sheets/contract/google.test.ts'],
  },
  {
    name: 'deletions of rows do not assert that the rows are in their places',
    file: 'sheets/google/remove.ts',
    text: 'let isAsserting = context.areAssertionsUsable;',
    instead: 'let isAsserting = false;',
    tests: ['sheets/remove.test.ts', 'sheets/contract/google.test.ts', 'sheets/schedules/schedules.test.ts'],
  },
  {
    name: 'the mark of an append that may still arrive is removed',
    file: 'sheets/google/append.ts',
    text: 'if (isLate) Object.assign(context, { areMarksKnown: false, layout: undefined });\n  else context',
    instead: 'context',
    tests: ['sheets/append.test.ts', 'sheets/contract/google.test.ts', 'sheets/schedules/schedules.test.ts'],
  },
  {
    name: 'a header that was read long ago is relied on by an append',
    file: 'sheets/google/append.ts',
    text: 'if (isHeaderOld(context)) await',
    instead: 'if (context.shape === undefined) await',
    tests: ['sheets/append.test.ts', 'sheets/contract/google.test.ts', 'sheets/schedules/schedules.test.ts'],
  },
  {
    name: 'a service that ignores the filter of uuids answers for other contacts',
    file: 'crm/outreach/contacts/by-uuid.ts',
    text: 'if (chunk.includes(contact.uuid)) found',
    instead: 'if (contact.uuid) found',
    tests: ['crm/*.test.ts', 'crm/contract/*.test.ts'],
  },
  {
    name: 'contacts that a search by uuid does not show count as gone',
    file: 'crm/outreach/contacts/by-uuid.ts',
    text: 'if (found.has(uuid)) continue;',
    instead: "if (found.has(uuid) || capabilities.offers('uuids')) continue;",
    tests: ['crm/scan.test.ts'],
  },
  {
    name: 'a listing in which a record came twice is not read again',
    file: 'crm/outreach/listing.ts',
    text: 'const passesMax = 8;',
    instead: 'const passesMax = 1;',
    tests: ['crm/*.test.ts'],
  },
  {
    name: 'a reading of changes newest first ends at its first pass, whatever moved',
    file: 'crm/outreach/scan/newest-first.ts',
    text: 'if (seen.isSteady()) return;',
    instead: 'if (newContacts >= 0) return;',
    tests: ['crm/scan.test.ts'],
  },
  {
    name: 'a 401 is not remembered by the budget',
    file: 'crm/outreach/call/attempts.ts',
    text: 'if (error instanceof AuthenticationError) budget.close(error);',
    instead: '',
    tests: ['crm/*.test.ts', 'crm/call/*.test.ts'],
  },
  {
    name: 'a write is sent however little of the lease is left',
    file: 'crm/outreach/call/attempts.ts',
    text: '(allowMs?.(timeoutMs) ?? timeoutMs)',
    instead: 'timeoutMs',
    tests: ['crm/*.test.ts', 'crm/call/*.test.ts', 'engine/lease.test.ts', 'engine/taken-over.test.ts'],
  },
  {
    name: 'messages in the wrong order prove that no newer one follows',
    file: 'crm/outreach/messages.ts',
    text: '(isInOrder && times.length > 0',
    instead: '(times.length > 0',
    tests: ['crm/collection.test.ts'],
  },
  {
    name: 'a feed of another account passes for the same one',
    file: 'engine/feed/feed.ts',
    text: 'if (known && known.crm !== pulled.identities.crm)',
    instead: 'if (known && pulled.identities.crm === "")',
    tests: ['engine/feed/rules.test.ts'],
  },
  {
    name: 'a requested full scan that meets a limit moves the watermark',
    file: 'engine/sync/pull.ts',
    text: '(known === undefined || since !== undefined)',
    instead: 'isLimited',
    tests: ['engine/incomplete.test.ts'],
  },
  {
    name: 'an enrolment that is done becomes unknown when its call is found twice',
    file: 'engine/sync/in-flight.ts',
    text: 'if (isDone(known)) return;',
    instead: '',
    tests: ['engine/enrolment/rules.test.ts'],
  },
  {
    name: 'after a 401 the next messages of a batch are tried all the same',
    file: 'engine/outbox/batches.ts',
    text: 'if (signal.aborted || stop) break;',
    instead: 'if (signal.aborted) break;',
    tests: ['engine/outbox/*.test.ts'],
  },
  {
    name: 'what a quiet run noted counts for another mapping',
    file: 'engine/sync/quiet.ts',
    text: 'return quiet && quiet.of === digestOf(sync, facts) ? { facts, quiet, links } : undefined;',
    instead: 'return quiet ? { facts, quiet, links } : undefined;',
    tests: ['engine/quiet.test.ts'],
  },
  {
    name: 'what the look before a write showed is forgotten when the run ends',
    file: 'engine/sync/push-crm.ts',
    text: 'if (isOther && contact) noteLooked(context, contact);',
    instead: '',
    tests: ['engine/shown-date.test.ts'],
  },
  {
    name: 'what the look before an enrolment showed is forgotten when the run ends',
    file: 'engine/enrolment/enrol.ts',
    text: 'if (contact) noteLooked(context, contact);',
    instead: '',
    tests: ['engine/shown-date.test.ts'],
  },
  {
    name: 'a column whose direction changes is merged only in records that change',
    file: 'engine/sync/memory.ts',
    text: 'base: isTurned ? reopen(base) : base,',
    instead: 'base,',
    tests: ['engine/mapping.test.ts'],
  },
];
