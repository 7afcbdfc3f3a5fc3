// Creates a job from its configuration, by its kind.
import type { JobConfig } from '../config/jobs.ts';
import { createFeedJob } from './feed/job.ts';
import type { Job, JobDep } from './job.ts';
import { createOutboxJob } from './outbox/job.ts';
import { createSyncJob } from './sync/job.ts';

export function createJob(job: JobConfig, dep: JobDep): Job {
  switch (job.kind) {
    case 'sync':
      return createSyncJob(job.config, dep);
    case 'feed':
      return createFeedJob(job.config, dep);
    case 'outbox':
      return createOutboxJob(job.config, dep);
  }
}
