// The console of a daemon over both stand-ins: its pages, and its forms as a browser without script sends them.
import { vi } from 'vitest';
import { createDaemonTrial, type DaemonTrialOptions, until } from '../../support/daemon.ts';

const password = 'correct horse battery staple';

/** Logs in with the password; returns the cookie of the session. */
export async function logIn(url: string): Promise<{ readonly name: string; readonly value: string }> {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url },
    body: new URLSearchParams({ password }),
  });
  const [, name, value] = /^(leadsheet)=([^;]+)/m.exec(answer.headers.getSetCookie().join('\n')) ?? [];
  if (name === undefined || value === undefined) throw new Error(`no session: ${answer.status}`);
  return { name, value };
}

export interface Form {
  readonly action: string;
  /** Name and value, hidden ones and boxes. */
  readonly fields: readonly (readonly [string, string])[];
  readonly text: string;
  readonly buttons: readonly { readonly text: string; readonly name: string; readonly value: string }[];
}

export interface Shown {
  readonly status: number;
  readonly path: string;
  readonly html: string;
  /** Without markup. */
  readonly text: string;
}

/** A daemon with a console that takes decisions, after its first run that ended. */
export async function beginConsole(options: DaemonTrialOptions = {}, server: Readonly<Record<string, unknown>> = {}) {
  const trial = createDaemonTrial({
    ...options,
    file: { ...options.file, server: { listen: '127.0.0.1:0', password, console: 'write', ...server } },
  });
  return { ...trial, start };

  async function start() {
    const { url, daemon, stop } = await trial.begin();
    await until(() => trial.said('run ended').length > 1);
    const session = await logIn(url!);
    const cookie = `${session.name}=${session.value}`;
    const get = async (path: string): Promise<Shown> => toShown(path, await fetch(url + path, { headers: { cookie } }));
    const post = async (action: string, fields: readonly (readonly [string, string])[]): Promise<Shown> => {
      const body = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]));
      const answer = await fetch(`${url}/do/${action}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: url! },
        body,
      });
      const to = answer.headers.get('location');
      return to === null ? toShown(`/do/${action}`, answer) : get(to);
    };
    /** Sends the form with this button, with further fields such as ticked boxes. */
    const press = (page: Shown, button: string | RegExp, further: readonly (readonly [string, string])[] = []) => {
      const { form, pressed } = findButton(page, button);
      const own = pressed.name === '' ? [] : [[pressed.name, pressed.value] as const];
      return post(form.action, [...form.fields, ...own, ...further]);
    };
    /** Asks for the page again and again. */
    const untilShown = (path: string, text: string) =>
      vi.waitFor(
        async () => {
          const page = await get(path);
          if (!page.text.includes(text)) throw new Error(`${path} does not show "${text}": ${page.text}`);
          return page;
        },
        { timeout: 100_000, interval: 100 },
      );
    const runs = () => trial.said('run ended').length;
    const nextRun = async () => {
      const before = runs();
      await until(() => runs() > before + 1);
    };
    return { url: url!, daemon, stop, get, post, press, nextRun, untilShown };
  }
}

async function toShown(path: string, answer: Response): Promise<Shown> {
  const html = await answer.text();
  return { status: answer.status, path, html, text: textIn(html) };
}

function textIn(html: string): string {
  return decoded(html.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ');
}

function decoded(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function formsOf({ html }: Pick<Shown, 'html'>): readonly Form[] {
  return [...html.matchAll(/<form method="post" action="\/do\/([\w-]+)"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, action, inner]) => ({
      action: action!,
      fields: [...inner!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name, value]) => [decoded(name!), decoded(value!)] as const,
      ),
      text: textIn(inner!),
      buttons: [...inner!.matchAll(/<button([^>]*)>([\s\S]*?)<\/button>/g)].map(([, attributes, text]) => ({
        text: textIn(text!).trim(),
        name: /name="([^"]*)"/.exec(attributes!)?.[1] ?? '',
        value: decoded(/value="([^"]*)"/.exec(attributes!)?.[1] ?? ''),
      })),
    }),
  );
}

function findButton(page: Shown, button: string | RegExp) {
  const hits = formsOf(page).flatMap((form) =>
    form.buttons.flatMap((pressed) => {
      const isMeant = typeof button === 'string' ? pressed.text === button : button.test(pressed.text);
      return isMeant ? [{ form, pressed }] : [];
    }),
  );
  if (hits.length !== 1) {
    const known = formsOf(page).flatMap(({ buttons }) => buttons.map(({ text }) => text));
    throw new Error(`${hits.length} buttons ${String(button)} on ${page.path}; there are: ${known.join(' | ')}`);
  }
  return hits[0]!;
}

/** What each box of the page says that was seen, by its label. */
export function boxesOf({ html }: Pick<Shown, 'html'>): ReadonlyMap<string, string> {
  return new Map(
    [...html.matchAll(/<input\s+type="checkbox"\s+name="seen"[^>]*?value="([^"]*)"\s+aria-label="([^"]*)"/g)].map(
      ([, value, label]) => [decoded(label!), decoded(value!)],
    ),
  );
}
