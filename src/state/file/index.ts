// The index beside the folders of the jobs: over the history, the reports of runs, and the records. It is derived from the files
// and follows them. It is for people who look: nothing is written because of what it says.
import { basename, join } from 'node:path';
import type { FileDriverDep } from './dep.ts';
import { jobName } from './folder-name.ts';
import { createHistoryIndex } from './history-index.ts';
import type { HistoryIndex, KeepOptions } from './history-page.ts';
import { createIndexConnection } from './index-connection.ts';
import { createPlaces } from './reading.ts';
import { createRunsIndex } from './runs-index.ts';
import type { RunsIndex } from './runs-page.ts';
import { createStateIndex, type StateIndex } from './state-index.ts';

export interface Index {
  readonly history: Pick<HistoryIndex, 'page'>;
  readonly runs: RunsIndex;
  readonly states: Pick<StateIndex, 'look' | 'lookAtAll' | 'mayHave'>;
  /** Brings it up to date. `folders`: of the jobs, as paths. Calls for all jobs that overlap share the work. */
  keep(folders: readonly string[], options: KeepOptions): Promise<void>;
}

/** The file of the index, beside the folders of the jobs. */
export const indexName = '.index.sqlite';

const progressMs = 1_000;

export function createIndex(root: string, dep: FileDriverDep): Index {
  const { disk, schema, terms } = dep;
  const connection = createIndexConnection(join(root, indexName), dep);
  const history = createHistoryIndex(root, dep, connection);
  const runs = createRunsIndex(root, dep, connection);
  const states = createStateIndex(terms, connection);
  let keeping: Promise<void> | undefined;

  async function keepNow(folders: readonly string[], { signal, isAll, onProgress }: KeepOptions): Promise<void> {
    const ending = { isAll, ...(signal && { signal }) };
    // The history of a long time takes longest, and what is looked at most does not wait for it.
    await states.keep(
      folders.map((folder) => createPlaces({ disk, folder, sync: jobName(basename(folder)), schema })),
      ending,
    );
    await runs.keep(folders.map((folder) => basename(folder)));
    let said = performance.now();
    await history.keep(folders, {
      ...ending,
      onProgress: (share) => {
        if (performance.now() - said < progressMs) return;
        said = performance.now();
        onProgress?.(share);
      },
    });
  }

  return {
    history,
    runs,
    states,
    keep(folders, options) {
      if (!options.isAll) return keepNow(folders, options);
      return (keeping ??= keepNow(folders, options).finally(() => {
        keeping = undefined;
      }));
    },
  };
}
