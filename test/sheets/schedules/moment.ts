// The moment of an event in a trial: before a request of the adapter. Generated trials count the requests. A written
// case names its request, so that the case stays the same when reading costs other calls.
export type RequestKind = 'read' | 'look' | 'pin' | 'verify' | 'write' | 'append' | 'delete' | 'other';

export interface NamedMoment {
  /** Index of the step. */
  readonly step: number;
  readonly before: RequestKind;
  /** From 1, the default: among the requests of this kind in the step, counting repeats. */
  readonly nth?: number;
}

/** The request of that number, from 0; or one by name. */
export type Moment = number | NamedMoment;

/** Every read through pins is a `verify`, also after a write; `other` are the calls that only tidy up. */
export function kindOfRequest(path: string, body: unknown): RequestKind {
  const text = typeof body === 'string' ? body : '';
  if (path.endsWith('/values:batchGetByDataFilter')) return 'read';
  if (path.endsWith('/values:batchUpdateByDataFilter')) return 'write';
  if (path.endsWith(':getByDataFilter')) return text.includes('"metadataId"') ? 'verify' : 'look';
  if (text.includes('"insertDimension"')) return 'append';
  if (text.includes('"deleteDimension"')) return 'delete';
  return text.includes('"createDeveloperMetadata"') ? 'pin' : 'other';
}

/** The requests of a trial, counted. */
export class Requests {
  /** Negative while nothing is to interfere. */
  count = -1;
  private step = 0;
  private countByKind = new Map<RequestKind, number>();

  startStep(index: number): void {
    this.step = index;
    this.countByKind = new Map();
  }

  /** Whether this request is the moment. */
  next(kind: RequestKind): (moment: Moment) => boolean {
    const number = this.count;
    this.count += 1;
    const nthNow = (this.countByKind.get(kind) ?? 0) + 1;
    this.countByKind.set(kind, nthNow);
    const { step: stepNow } = this;
    return (moment) => {
      if (typeof moment === 'number') return moment === number;
      const { step, before, nth = 1 } = moment;
      return step === stepNow && before === kind && nth === nthNow;
    };
  }
}
