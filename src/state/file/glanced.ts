// Keeps what a glance needs of the state of an idle job, which is all but its records.
import { emptyTables, lossKey, type Tables } from './tables.ts';

export interface Glanced {
  /** Without links and ledger. */
  readonly tables: Tables;
  /** Of the files that it was read from. While the files have these stamps, it is what they say. */
  readonly stamps: string;
}

/** Of all other records. A job with more has work to do, and reads its files for it. */
const recordsMax = 100;

/** Of the single values as JSON: 500 jobs then take some 16 MB. The values of a quiet job have about 3,000. */
const charactersMax = 32_000;

/** Undefined: something is to be told of it, or it is too large to be kept for hundreds of idle jobs. `stamps`: blank if the files are not known. */
export function toGlanced({ tables, stamps }: Glanced): Glanced | undefined {
  const { facts, strays, outbox, setAside, consumed } = tables;
  const records = strays.size + outbox.size + setAside.size + consumed.size;
  if (consumed.has(lossKey)) return undefined;
  if (stamps === '' || records > recordsMax || JSON.stringify([...facts]).length > charactersMax) return undefined;
  return { tables: { ...emptyTables(), facts, strays, outbox, setAside, consumed }, stamps };
}
