// Reads what a form says that a person saw and ticked.
import type * as z from 'zod';
import { OperatorError } from '../../../operator/errors.ts';
import { mayDecideOnValues } from '../forms/parts.ts';
import type { ActionContext } from './action.ts';

/** Throws OperatorError: the form is not one of ours. */
export function readTickets<Ticket>({ fields }: ActionContext, schema: z.ZodType<Ticket>): readonly Ticket[] {
  return fields('seen').map((text) => {
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      throw new OperatorError('invalid', 'this form is not one of this console: load the page again');
    }
  });
}

/** Throws OperatorError: the page hides the values. */
export function assertMayDecideOnValues({ viewer }: ActionContext): void {
  if (mayDecideOnValues(viewer)) return;
  throw new OperatorError(
    'invalid',
    'a decision about values is made where they are shown: enter by leadsheet console, or set server.password',
  );
}

/** The page that the form stood on, if it is one of these. */
export function backTo({ field }: ActionContext, pages: readonly string[]): string {
  const given = field('back') ?? '';
  const { pathname, search } = new URL(given, 'http://console.invalid');
  const isKnown = pages.some((page) => (page.endsWith('/') ? pathname.startsWith(page) : pathname === page));
  return isKnown ? `${pathname}${search}` : pages[0]!;
}
