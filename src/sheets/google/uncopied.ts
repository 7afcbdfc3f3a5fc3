// Hands the body of a request to Google's client so that it makes no copy of it.

/**
 * Google's client copies plain objects and lists to their last value, three times a call: of 10,000 rows that are appended, that
 * was a tenth of the processor time of the first sync. It passes on what has a tag, which JSON does not show.
 */
export function uncopied<Body extends object>(body: Body): Body {
  return { ...body, [Symbol.toStringTag]: 'Body' };
}
