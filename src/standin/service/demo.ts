/*
 * The demo data of a team: three lists, four automations in the four states, two sender profiles, varied contacts, and
 * some messages. The same seed and the same clock give the same data.
 */
import { officeHours } from './automations.ts';
import type { Model } from './model.ts';
import type { Random } from './random.ts';
import { instantText } from './world.ts';
import type { World } from './world.ts';

const dayMs = 24 * 3600 * 1000;
/** Domains under .test have no owner (RFC 2606), and a sync does not take them for placeholders. */
const topLevelDomain = 'test';

const firstNames =
  'Amara Anneke Aylin Bruno Carla Chidi Clara Daniel Elena Emil Farah Felix Greta Hannah Hugo Ida Ilse Imran Ines Jakob Jana Jonas Julia Kaveh Lara Leon Lina Lukas Maja Marek Maria Milan Mira Nadia Nora Oskar Paula Pedro Ravi Rosa Sofia Stefan Tariq Tessa Theo Valentina Wanda Yara Yusuf Zoë'.split(
    ' ',
  );
const lastNames =
  'Abbas Albrecht Baranowski Becker Bianchi Brandt Castro Conti Dahl Duarte Eriksen Falk Ferrari Fischer Fontaine Garcia Haas Hansen Hoffmann Horvath Ibrahim Jansen Keller Klein Kowalski Krämer Lang Larsen Lehmann Lindqvist Maier Marino Meyer Moreau Nowak Okafor Petrov Rahman Richter Rossi Sato Schäfer Schulz Silva Sommer Thomsen Vogel Weber Winter Yilmaz'.split(
    ' ',
  );
const companyNames =
  'Aldertree Analytics,Baltic Freight,Bluestone Robotics,Copperfield Foods,Delta Orchard,Eastgate Energy,Fennel & Co,Glasshouse Media,Harbour Logistics,Ironbridge Tools,Juniper Health,Kestrel Software,Lanternworks,Meridian Textiles,Northfold Insurance,Oakline Furniture,Pinecrest Travel,Quarry Lane Capital,Redwater Biotech,Silverbirch Legal,Tidewell Marine,Upland Solar,Vantage Rail,Whitestone Hotels'.split(
    ',',
  );
const departments = ['Sales', 'Marketing', 'Operations', 'Finance', 'Procurement', 'Engineering', 'People'] as const;
const positions = ['Head of {}', 'Director of {}', '{} Manager', '{} Lead', 'VP {}'] as const;
const cities = [
  'Berlin',
  'Hamburg',
  'Vienna',
  'Zurich',
  'Amsterdam',
  'Copenhagen',
  'Lisbon',
  'Milan',
  'Warsaw',
] as const;
const openings = [
  'Thank you for connecting! How do you plan your routes today?',
  'I saw your talk on supply chains. May I ask you one question?',
  'Would a short call next week suit you?',
] as const;

const demoSizes = { contacts: 600, messages: 40, emails: 25 };

/** Fills an empty model; measurements may raise `contacts`. */
export function addDemoData(model: Model, world: World, { contacts = demoSizes.contacts } = {}): void {
  const { random, now } = world;
  const startMs = now() - 120 * dayMs;
  const born = (day: number) => ({
    created_at: instantText(startMs + day * dayMs),
    updated_at: instantText(startMs + day * dayMs),
  });

  const lists = ['Prospects EMEA', 'Conference leads', 'Customers'].map((name, day) =>
    model.lists.add({ name, ...born(day) }),
  );
  const profiles = [
    { first_name: 'Mara', last_name: 'Lindqvist', label: 'Mara, new business' },
    { first_name: 'Tom', last_name: 'Okafor', label: 'Tom, partners' },
  ].map((profile, day) => model.senderProfiles.add({ ...profile, mailbox_uuid: random.uuid(), ...born(day) }));
  const [welcome, followUp] = (
    [
      ['Welcome sequence', 'on', 'Connects and says hello.'],
      ['Conference follow-up', 'off', 'Paused until the next conference.'],
      ['Winter campaign', 'draft', 'Being written.'],
      ['Spring campaign', 'archived', 'Ended in April.'],
    ] as const
  ).map(([name, status, description], index) =>
    model.automations.add({ name, status, description, priority: index + 1, schedule: officeHours, ...born(index) }),
  );
  if (welcome) model.automations.segmentsByAutomation.set(welcome.uuid, [2]);

  const people = Array.from({ length: contacts }, (_, index) => {
    const bornMs = startMs + Math.floor((index / contacts) * 110 * dayMs);
    // Five of six are in the first list; the others are newly met, or customers.
    const list = lists[index % 6 < 5 ? 0 : index % 12 < 6 ? 1 : 2];
    return model.contacts.add({
      fields: { ...person(random, index), list_uuid: list?.uuid ?? '', ...times(random, bornMs) },
      ...(random.integer(1, 3) === 1 && { customFields: { segment: random.pick(['A', 'B', 'C']) } }),
    }).record;
  });

  for (let count = 0; count < demoSizes.messages && people.length > 0; count += 1) {
    const contact = random.pick(people);
    const profile = random.pick(profiles);
    const isReply = random.integer(1, 3) === 1;
    const sent_at = instantText(now() - random.integer(1, 20 * dayMs));
    model.inbox.addMessage({
      sender_profile_uuid: profile.uuid,
      lead_uuid: contact.uuid,
      text: isReply ? random.pick(['Thanks, yes!', 'Not now, sorry.', '👍']) : random.pick(openings),
      type: isReply ? 'inbox' : 'outbox',
      automation: isReply ? 'synced' : 'auto',
      status: 'done',
      sent_at,
      created_at: sent_at,
      updated_at: sent_at,
    });
    if (welcome && followUp) model.automations.enrol(isReply ? followUp.uuid : welcome.uuid, contact.uuid, 1);
  }

  const reachable = people.filter(({ work_email }) => work_email !== null);
  for (let count = 0; count < demoSizes.emails && reachable.length > 0; count += 1) {
    const contact = random.pick(reachable);
    const profile = random.pick(profiles);
    const sent_at = instantText(now() - random.integer(1, 20 * dayMs));
    model.inbox.addEmail(
      {
        sender_profile_uuid: profile.uuid,
        mailbox_uuid: profile.mailbox_uuid,
        lead_uuid: contact.uuid,
        flow_uuid: welcome?.uuid ?? null,
        status: random.integer(1, 8) === 1 ? 'bounced' : 'sent',
        from_name: `${profile.first_name} ${profile.last_name}`,
        from_email: address(profile.first_name, profile.last_name, 'leadsheet-demo'),
        to_name: contact.name,
        to_email: contact.work_email,
        subject: `A question about ${contact.company_name ?? 'your work'}`,
        sent_at,
        created_at: sent_at,
        updated_at: sent_at,
      },
      { body: `Hello ${contact.first_name ?? 'there'},\n\n${random.pick(openings)}\n\n${profile.first_name}` },
    );
  }
}

/** Some fields of some contacts are blank. */
function person(random: Random, index: number) {
  const first = random.pick(firstNames);
  const last = random.pick(lastNames);
  const company = random.pick(companyNames);
  const department = random.pick(departments);
  const position = random.pick(positions).replace('{}', department);
  const city = random.pick(cities);
  const handle = `${slug(first)}-${slug(last)}-${(index + 1).toString(36)}`;
  const often = <T>(value: T, ofTen: number) => (random.integer(1, 10) <= ofTen ? value : null);
  const work_email = often(address(first, last, slug(company), index), 8);
  return {
    name: `${first} ${last}`,
    first_name: first,
    last_name: last,
    company_name: company,
    position,
    headline: often(`${position} at ${company}`, 7),
    about: often(`Works on ${department.toLowerCase()} in ${city}.`, 4),
    ln_id: String(100_000_000 + index),
    sn_id: often(`SN${(700_000 + index).toString(36).toUpperCase()}`, 6),
    network: handle,
    work_email,
    personal_email: often(address(first, last, 'post', index), 2),
    work_phone_number: often(`+49 30 55501${String(index % 1000).padStart(3, '0')}`, 3),
    connections_number: random.integer(40, 3000),
    followers_number: random.integer(0, 9000),
    primary_language: random.pick(['en', 'de', 'fr', 'pt', 'it', 'pl']),
    supported_languages: ['en'],
    has_open_profile: random.integer(0, 1) as 0 | 1,
    has_verified_profile: random.integer(0, 1) as 0 | 1,
    has_premium: random.integer(0, 1) as 0 | 1,
    experience: [{ title: position, company, start_date: `${random.integer(2012, 2025)}-01-01`, end_date: null }],
    posts: [],
    educations: [],
    skills: [department, 'Negotiation'],
    top_voices: [],
    raw_address: city,
    location: [{ address_string: city }],
    tags: [],
    status: random.pick(['ok', 'ok', 'ok', 'ok', 'failed_validation', 'no_contact_data']),
    network_status: random.pick(['active', 'active', 'ok', 'need_enrichment', 'no_data']),
    email_status: work_email === null ? 'need_search' : random.pick(['verified', 'verified', 'ok', 'unsubscribed']),
    unread_counts: [],
  };
}

function times(random: Random, bornMs: number) {
  const touchedMs = bornMs + random.integer(0, 9 * dayMs);
  return { created_at: instantText(bornMs), updated_at: instantText(touchedMs) };
}

const address = (first: string, last: string, domain: string, index?: number) =>
  `${slug(first)}.${slug(last)}${index === undefined ? '' : index + 1}@${domain}.${topLevelDomain}`;

/** `Fennel & Co` as `fennel-co`, `Krämer` as `kramer`. */
function slug(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
}
