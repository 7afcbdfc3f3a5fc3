import type { Evidence, Law, Violation } from '../oracle/evidence.ts';
import { automationNames, resultHeader, wishHeader } from '../world/setting.ts';
import { storyOf } from './records.ts';

/** E8. No contact is enrolled after a cancel that was answered as taken up, unless a person wishes or asks for it again. */
export const cancels: Law = (evidence) =>
  evidence.isStateTampered
    ? []
    : evidence.log.cancels.flatMap((each) => [...enrolledSince(evidence, each), ...untold(evidence, each)]);

type Cancel = Evidence['log']['cancels'][number];

function isChangedSince({ log }: Evidence, from: number, to = Infinity): boolean {
  return log.wishChanges.some((seq) => seq >= from && seq <= to);
}

function enrolledSince(evidence: Evidence, { id, seq }: Cancel): readonly Violation[] {
  const enrolment = evidence.enrolments.find((each) => `${each.uuid}/${each.automation}` === id && each.seq >= seq);
  if (!enrolment || isChangedSince(evidence, seq, enrolment.seq)) return [];
  const { person } = enrolment;
  return [
    { law: 'E8', text: `${person} was enrolled (${id}) after a person had cancelled that${storyOf(evidence, person)}` },
  ];
}

/** Once all is quiet, the row that still has the wish says what became of it. */
function untold(evidence: Evidence, { id, seq }: Cancel): readonly Violation[] {
  const { quiet } = evidence;
  const row = quiet.rows.find((each) => each.id === id.split('/')[0]);
  const isWished = row !== undefined && automationNames.some((name) => row.text(wishHeader) === name);
  if (!isWished || quiet.isHeld || isChangedSince(evidence, seq)) return [];
  const said = row.text(resultHeader);
  if (!said.startsWith('waiting')) return [];
  return [{ law: 'E8', text: `the row of ${id}, which a person cancelled, says "${said}"` }];
}
