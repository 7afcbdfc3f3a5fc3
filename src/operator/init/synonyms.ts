// The words that people write above columns, in English, German and a few of French and Spanish, by the field they mean.

/** Each word in its normal form (`normalHeader`). A word that could mean two fields stands at the more common one. */
const wordsByField: Readonly<Record<string, string>> = {
  email:
    'mail email emailaddress mailaddress workemail businessemail emailadresse mailadresse emailgeschaftlich ' +
    'geschaftlicheemail dienstlicheemail kontaktemail courriel correo correoelectronico',
  personal_email: 'privateemail privatemail emailprivat homeemail',
  first_name: 'firstname givenname forename first vorname rufname prenom nombre',
  last_name: 'lastname surname familyname last nachname familienname zuname nom nomdefamille apellido apellidos',
  name: 'name fullname contactname vollername vollstandigername kontaktname ansprechpartner nomcomplet',
  company_name:
    'company companyname organization organisation employer account accountname firm firma firmenname unternehmen ' +
    'unternehmensname betrieb arbeitgeber gesellschaft entreprise societe empresa',
  position:
    'position jobtitle title role job jobrole funktion beruf stelle rolle titel berufsbezeichnung stellenbezeichnung ' +
    'jobbezeichnung poste fonction cargo puesto',
  headline: 'headline tagline slogan schlagzeile',
  about: 'about summary bio kurzprofil ubermich zusammenfassung',
  work_phone_number:
    'phone phonenumber workphone businessphone telephone telephonenumber tel telefon telefonnummer telefonnr telnr ' +
    'rufnummer fon durchwahl telefongeschaftlich',
  personal_phone_number:
    'mobile mobilephone mobilenumber cell cellphone privatephone handy handynummer handynr mobil mobiltelefon ' +
    'mobilnummer telefonprivat',
  raw_address: 'address fulladdress location adresse anschrift standort wohnort direccion',
  network_id:
    'profile profileurl profilelink linkedin linkedinurl linkedinprofile linkedinprofileurl linkedinlink profil ' +
    'profillink linkedinprofil',
  domain: 'website web companywebsite homepage webseite webadresse internetseite internetadresse firmenwebsite',
  tags: 'tags labels schlagworte schlagworter stichworte',
  primary_language: 'language sprache muttersprache',
  created_at: 'created createdon creationdate erstellt erstelltam angelegt angelegtam',
  updated_at: 'updated updatedon lastupdate modified geandert geandertam aktualisiert aktualisiertam',
};

const fieldByWord: ReadonlyMap<string, string> = new Map(
  Object.entries(wordsByField).flatMap(([field, words]) => words.split(' ').map((word) => [word, field] as const)),
);

/** The field that a header names, also without any knowledge of the cells below it; undefined: no word of ours. */
export function fieldOfHeader(header: string, fields: ReadonlySet<string>): string | undefined {
  const word = normalHeader(header);
  const spelt = [...fields].find((field) => normalHeader(field) === word);
  if (spelt !== undefined && fieldByWord.get(word) === undefined) return spelt;
  const meant = fieldByWord.get(word) ?? spelt;
  return meant !== undefined && fields.has(meant) ? meant : undefined;
}

/** Every known word with its field, for headers that are misspelt. */
export function knownWords(fields: ReadonlySet<string>): ReadonlyMap<string, string> {
  const spelt = [...fields].map((field) => [normalHeader(field), field] as const);
  return new Map([...spelt, ...[...fieldByWord].filter(([, field]) => fields.has(field))]);
}

/** Letters and digits alone, lower case, without accents: `E-Mail (geschäftlich)` is `emailgeschaftlich`. */
export function normalHeader(header: string): string {
  return header
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
