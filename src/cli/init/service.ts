// Asks for the service: its address and token, tested at once with a real call.
import { readFileSync } from 'node:fs';
import type { CrmConnection } from '../../app-world.ts';
import { readServiceSettings, type ServiceSettings } from '../../config/service-settings.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { readSecretFile, textToToken } from '../../config/secret-file.ts';
import {
  AuthenticationError,
  GatewayError,
  NotFoundError,
  ServiceError,
  UnexpectedAnswerError,
  UnreachableError,
} from '../../crm/errors.ts';
import { Secret } from '../../lib/secret.ts';
import { countText } from '../../operator/words.ts';
import { CommandFailed } from '../errors.ts';
import { Refused, type Session } from './session.ts';

export interface ServiceAnswer {
  readonly settings: ServiceSettings;
  readonly crm: CrmConnection;
  /** The file that holds the token; undefined: it was given itself. */
  readonly tokenFile: string | undefined;
}

interface Proposed {
  /** The variable that may have the token. */
  readonly tokenVariable: string;
  readonly baseUrl: string | undefined;
}

/** The caller disposes the connection. */
export async function askService(
  session: Session,
  proposed: Proposed = { tokenVariable: 'OUTREACH_TOKEN', baseUrl: session.world.env['OUTREACH_BASE_URL'] },
): Promise<ServiceAnswer> {
  const asked: { refused?: string } = {};
  for (;;) {
    const baseUrl = await askAddress(session, proposed.baseUrl, asked);
    try {
      return await askToken(session, baseUrl, proposed.tokenVariable);
    } catch (error) {
      if (!(error instanceof WrongAddress)) throw error;
      if (!session.prompts || session.isFlag('base-url')) throw new CommandFailed(`--base-url: ${error.message}`);
      session.prompts.warn(error.message);
      session.forget('base-url');
    }
  }
}

/** The service takes the key, and has no lists at this address: it is not asked for the key again. */
class WrongAddress extends Error {
  override readonly name = 'WrongAddress';
}

/** `asked.refused`: the answer that did not do. */
function askAddress(session: Session, safe: string | undefined, asked: { refused?: string }): Promise<string> {
  return session.answer({
    id: 'base-url',
    what: 'the address of the service',
    ...(safe !== undefined && { safe }),
    async parse(text) {
      const refused = text.trim();
      asked.refused = refused;
      if (refused === '') throw new Refused('the address is empty: it looks like https://host');
      const settings = settingsOf(refused, new Secret('leadsheet-init-without-a-key'));
      await reach(session, settings);
      return settings.baseUrl;
    },
    ask: (prompts) =>
      prompts.text({
        message: 'The address of the service (https://...)',
        // A refused answer is corrected, not typed again.
        ...(asked.refused === undefined ? safe !== undefined && { proposal: safe } : { initial: asked.refused }),
      }),
  });
}

/**
 * Throws Refused if the service is not at the address. The call has no valid key: that it is refused shows that the service
 * is there. A key that is asked for first would be asked for again and again, although the address is wrong.
 */
async function reach({ world }: Session, settings: ServiceSettings): Promise<void> {
  const { connectCrm } = await import('../../app-connections.ts');
  using crm = connectCrm(settings, world, { retriesMax: 1 });
  try {
    await crm.probe({ signal: world.stop });
  } catch (error) {
    world.stop.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    if (elsewhere.some((kind) => error instanceof kind)) throw new Refused(error.message, 'failed');
  }
}

/** The lists of an account are always there: a service without them has another path, or is another one. */
const elsewhere = [UnreachableError, UnexpectedAnswerError, GatewayError, NotFoundError];

/** A refused token closes its connection, so each try makes a new one. */
async function askToken(session: Session, baseUrl: string, variable: string): Promise<ServiceAnswer> {
  const { env } = session.world;
  const known = env[variable];
  let isKnownTried = false;
  return session.answer({
    id: 'token-file',
    what: `a file that holds the API key of the service, or set ${variable}`,
    isSecret: true,
    ...(known !== undefined && known !== '' && { safe: '', safeFrom: variable }),
    parse: async (text) => {
      if (session.isGiven('token-file')) {
        const token = tokenOf(() => readSecretFile('token', text, readText), text);
        return { ...(await connect(session, settingsOf(baseUrl, token))), tokenFile: text };
      }
      const token = text === '' ? (known ?? '') : text;
      const connected = await connect(
        session,
        settingsOf(
          baseUrl,
          tokenOf(() => token, 'the answer'),
        ),
      );
      return { ...connected, tokenFile: undefined };
    },
    async ask(prompts) {
      if (known !== undefined && known !== '' && !isKnownTried) {
        isKnownTried = true;
        if (await prompts.confirm(`${variable} is set: use that API key?`, true)) return '';
      }
      return prompts.secret('The API key of the service (hidden)');
    },
  });
}

async function connect({ world, say }: Session, settings: ServiceSettings): Promise<Omit<ServiceAnswer, 'tokenFile'>> {
  const { connectCrm } = await import('../../app-connections.ts');
  const crm = connectCrm(settings, world, { retriesMax: 1 });
  try {
    const { lists } = await crm.probe({ signal: world.stop });
    say(`The service takes the API key${lists === undefined ? '' : `: ${countText(lists, 'list')}`}`);
    return { settings, crm };
  } catch (error) {
    crm[Symbol.dispose]();
    world.stop.throwIfAborted();
    if (error instanceof AuthenticationError) {
      throw new Refused(
        'the service does not accept this API key: make a new one in the service, and paste it whole',
        'failed',
      );
    }
    if (error instanceof NotFoundError) throw new WrongAddress(error.message, { cause: error });
    if (error instanceof ServiceError) throw new Refused(error.message, 'failed');
    throw error;
  }
}

function settingsOf(baseUrl: string, token: Secret): ServiceSettings {
  try {
    return { ...readServiceSettings({ OUTREACH_TOKEN: 'unused' }, { baseUrl }), token };
  } catch (error) {
    throw asRefused(error);
  }
}

function tokenOf(read: () => string, source: string): Secret {
  try {
    return textToToken(read(), source);
  } catch (error) {
    throw asRefused(error);
  }
}

function asRefused(error: unknown): unknown {
  return error instanceof SettingsError ? new Refused(error.message) : error;
}

function readText(file: string): string {
  return readFileSync(file, 'utf8');
}
