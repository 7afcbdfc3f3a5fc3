// The texts of the files beside the configuration: secrets for the environment, what git leaves out, and units.
import { basename, dirname } from 'node:path';

export interface EnvVariable {
  readonly name: string;
  readonly value: string;
}

/**
 * `.env` with these variables set; its other lines stay. Undefined: a value has a line end or both kinds of quotes, and
 * no reader of such files takes it.
 */
export function envText(before: string, variables: readonly EnvVariable[]): string | undefined {
  const lines = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  for (const { name, value } of variables) {
    const quoted = quote(value);
    if (quoted === undefined) return undefined;
    const line = `${name}=${quoted}`;
    const index = lines.findLastIndex((each) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`).test(each));
    if (index === -1) lines.push(line);
    else lines[index] = line;
  }
  return `${lines.join('\n')}\n`;
}

/** Node, Docker Compose, systemd and shells read single quotes alike: no character between them is special. */
function quote(value: string): string | undefined {
  if (/^[\w./:@%+,-]+$/.test(value)) return value;
  if (/[\r\n]/.test(value)) return undefined;
  if (!value.includes("'")) return `'${value}'`;
  return /["\\$`]/.test(value) ? undefined : `"${value}"`;
}

/** `.gitignore` with these paths, each from the root of the repository; undefined: it has them all. */
export function gitignoreText(before: string, paths: readonly string[]): string | undefined {
  const known = new Set(before.split('\n').map((line) => line.trim().replace(/^\//, '')));
  const missing = paths.filter((path) => !known.has(path) && !known.has(basename(path)));
  if (missing.length === 0) return undefined;
  const end = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${before}${end}${missing.map((path) => `/${path}\n`).join('')}`;
}

export interface UnitPlaces {
  /** Absolute: the folder that holds `config` and `.env`. */
  readonly folder: string;
  readonly config: string;
  readonly envFile: string | undefined;
  readonly account: string;
  /** Absolute: the certificates of authorities that Node itself does not know. Node reads the variable as it starts, before `.env`. */
  readonly authorities: string | undefined;
}

/** The text of `/etc/systemd/system/leadsheet.service`. */
export function systemdUnit({ folder, config, envFile, account, authorities }: UnitPlaces): string {
  const environment = envFile === undefined ? '' : `EnvironmentFile=${specifier(`${folder}/${envFile}`)}\n`;
  const trusted = authorities === undefined ? '' : `Environment="NODE_EXTRA_CA_CERTS=${specifier(authorities)}"\n`;
  return `[Unit]
Description=leadsheet
Wants=network-online.target
After=network-online.target

[Service]
User=${specifier(account)}
WorkingDirectory=${specifier(folder)}
${environment}# Less memory for new objects: of many jobs it is much, and costs little (docs/performance.md).
Environment=NODE_OPTIONS=--max-semi-space-size=16
${trusted}ExecStart=/usr/bin/env leadsheet run --config "${specifier(config)}"
# It finishes what is in flight within ten seconds.
TimeoutStopSec=15
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
`;
}

/** systemd reads % as the beginning of a specifier. */
function specifier(text: string): string {
  return text.replaceAll('%', '%%');
}

/**
 * The text of a compose file, for a folder without one. The image is made with `docker build -t leadsheet` from the sources. Each
 * command in the container finds the configuration, as `docker compose exec leadsheet leadsheet status` does.
 */
export function composeText({ config, envFile, keyFile, authorities }: ComposePlaces): string {
  const env = envFile === undefined ? '' : `    env_file: ${JSON.stringify(envFile)}\n`;
  const own = configMount(config);
  const inside = '/leadsheet/authorities.pem';
  const trusted = authorities === undefined ? '' : `      NODE_EXTRA_CA_CERTS: ${inside}\n`;
  const mounted = authorities === undefined ? '' : `      - ${JSON.stringify(`${authorities}:${inside}:ro`)}\n`;
  return `# Made by leadsheet init. The image: docker build -t leadsheet FOLDER, with the folder of its sources.
services:
  leadsheet:
    image: leadsheet
    restart: unless-stopped
    stop_grace_period: 15s
    mem_limit: 2g
${env}    environment:
      GOOGLE_APPLICATION_CREDENTIALS: /leadsheet/google.json
      LEADSHEET_CONFIG: ${JSON.stringify(own.file)}
${trusted}    volumes:
      - ${JSON.stringify(`${own.from}:${own.to}:ro`)}
      - ${JSON.stringify(`./${keyFile}:/leadsheet/google.json:ro`)}
${mounted}      - state:/leadsheet/state
    ports:
      - 127.0.0.1:4000:4000
    read_only: true
    cap_drop: [ALL]
    security_opt: [no-new-privileges:true]

volumes:
  state:
`;
}

/**
 * The folder of the configuration stands at the same place below /leadsheet, so that relative paths in it hold. Of a file that is
 * mounted alone, the container keeps the old one where an editor puts a new one in its place, and a reload finds no change.
 */
function configMount(config: string): { readonly from: string; readonly to: string; readonly file: string } {
  const folder = dirname(config);
  if (folder === '.' || folder.startsWith('..')) {
    const file = `/leadsheet/${basename(config)}`;
    return { from: `./${config}`, to: file, file };
  }
  return { from: `./${folder}`, to: `/leadsheet/${folder}`, file: `/leadsheet/${config}` };
}

export interface ComposePlaces {
  /** Relative to the folder of the compose file, as the others. */
  readonly config: string;
  readonly keyFile: string;
  readonly envFile: string | undefined;
  /** Absolute. */
  readonly authorities: string | undefined;
}

/** The account of a key, which is no secret; undefined: it is no key of a service account. */
export function describeKey(text: string): { readonly account: string } | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof value !== 'object' || value === null || !('type' in value) || !('client_email' in value))
      return undefined;
    const { type, client_email: account } = value;
    return type === 'service_account' && typeof account === 'string' ? { account } : undefined;
  } catch {
    return undefined;
  }
}
