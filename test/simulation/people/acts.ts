// People at both sides, and all their acts.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import {
  type Act,
  type ColumnAct,
  columnActs,
  type CrmAct,
  type FeedAct,
  feedActs,
  type FeedHandsAct,
  feedHandsActs,
  type MergeAct,
  mergeActs,
  type MovedCellsAct,
  movedCellsActs,
  type NumberAct,
  numberActs,
  type OutboxAct,
  outboxActs,
  type OutboxHandsAct,
  outboxHandsActs,
  type SheetAct,
  type ThemedCrmAct,
  type ThemedSheetAct,
  type TitleAct,
  titleActs,
} from '../scenario/scenario.ts';
import type { FieldName } from '../world/setting.ts';
import { viewSheet } from '../world/view.ts';
import { createColumns } from './columns.ts';
import { createCrmActs } from './crm-acts.ts';
import { actOnFeed } from './feed-acts.ts';
import { actOnFeedByHand } from './feed-hands.ts';
import type { PeopleDep, WorldDep } from './dep.ts';
import { createMerges } from './merges.ts';
import { createMovedCells } from './moved-cells.ts';
import { createNumbers } from './numbers.ts';
import { actOnOutbox } from './outbox-acts.ts';
import { actOnOutboxByHand } from './outbox-hands.ts';
import { createSheetActs } from './sheet-acts.ts';
import { createTyping } from './typing.ts';
import { createTitles } from './titles.ts';
import { createVersions } from './versions.ts';

export interface People {
  /** Does the act and logs it; does nothing if no record fits. Returns whether anything was done. */
  readonly act: (act: Act) => boolean;
  /** If the header of the column had been renamed, it is as the configuration has it again. */
  readonly putHeaderBack: (field: FieldName) => void;
}

export function createPeople(world: WorldDep): People {
  const { sides, setting, log } = world;
  const { service, file, lists, byPerson } = sides;
  const { contacts } = service.model;
  const typing = createTyping({ setting, log, now: service.world.now });
  const { tell } = typing;
  const dep: PeopleDep = { ...world, view: () => viewSheet(file.content, log.renamed), here, away };
  const inCrm = createCrmActs(dep, typing);
  const inSheet = createSheetActs(dep, typing);
  const movedCells = createMovedCells(dep, typing);
  const merges = createMerges(dep, typing);
  const numbers = createNumbers(dep, typing);
  const columns = createColumns(dep, typing);
  const titles = createTitles(dep, typing);
  const versions = createVersions(dep, typing);

  function here(): readonly ContactRecord[] {
    return [...contacts.all()].map(({ record }) => record).filter(lists.isInScope);
  }

  function away(): readonly ContactRecord[] {
    return [...contacts.all()].map(({ record }) => record).filter((record) => !lists.isInScope(record));
  }

  function onFeed(what: FeedAct | FeedHandsAct, { a, b, c }: Act): boolean {
    if (!setting.hasFeed) return false;
    const told = byPerson(() =>
      isFeedHandsAct(what)
        ? actOnFeedByHand(sides, log.feed, what, { a, b, c, count: typing.next() })
        : actOnFeed(sides, what, a, typing.next()),
    );
    if (told !== undefined) tell(told);
    return told !== undefined;
  }

  function onOutbox(what: OutboxAct | OutboxHandsAct, act: Act): boolean {
    if (!setting.outbox) return false;
    const told = byPerson(() =>
      isOutboxHandsAct(what)
        ? actOnOutboxByHand(sides, log.messages, what, act)
        : actOnOutbox(sides, log.messages, what, act),
    );
    if (told !== undefined) tell(told);
    return told !== undefined;
  }

  return {
    act(act) {
      // The service now does what is due: no person edits a contact whose deletion ended minutes ago.
      service.model.settle();
      versions.keep();
      if (isFeedAct(act.what) || isFeedHandsAct(act.what)) return onFeed(act.what, act);
      if (isOutboxAct(act.what) || isOutboxHandsAct(act.what)) return onOutbox(act.what, act);
      const { what } = act;
      if (what === 'restore version') return byPerson(() => versions.restore(act));
      if (isMovedCellsAct(what)) return byPerson(() => movedCells.act(what, act));
      if (isColumnAct(what)) return byPerson(() => columns.act(what, act));
      if (isTitleAct(what)) return byPerson(() => titles.act(what, act));
      if (isMergeAct(what)) return byPerson(() => merges.act(what, act));
      if (act.side === 'sheet' && isNumberAct(what)) return byPerson(() => numbers.act(what, act));
      return byPerson(() =>
        act.side === 'crm'
          ? inCrm.act(act.what as CrmAct | ThemedCrmAct, act)
          : inSheet.act(act.what as SheetAct | ThemedSheetAct, act),
      );
    },
    putHeaderBack: (field) => void byPerson(() => inSheet.putHeaderBack(field)),
  };
}

function isFeedAct(what: Act['what']): what is FeedAct {
  return (feedActs as readonly string[]).includes(what);
}

function isMovedCellsAct(what: Act['what']): what is MovedCellsAct {
  return (movedCellsActs as readonly string[]).includes(what);
}

function isColumnAct(what: Act['what']): what is ColumnAct {
  return (columnActs as readonly string[]).includes(what);
}

function isTitleAct(what: Act['what']): what is TitleAct {
  return (titleActs as readonly string[]).includes(what);
}

function isMergeAct(what: Act['what']): what is MergeAct {
  return (mergeActs as readonly string[]).includes(what);
}

function isNumberAct(what: Act['what']): what is NumberAct {
  return (numberActs as readonly string[]).includes(what);
}

function isOutboxAct(what: Act['what']): what is OutboxAct {
  return (outboxActs as readonly string[]).includes(what);
}

function isOutboxHandsAct(what: Act['what']): what is OutboxHandsAct {
  return (outboxHandsActs as readonly string[]).includes(what);
}

function isFeedHandsAct(what: Act['what']): what is FeedHandsAct {
  return (feedHandsActs as readonly string[]).includes(what);
}
