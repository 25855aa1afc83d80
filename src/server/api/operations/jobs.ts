import { readJobsOverview } from '../../operation/read-jobs-overview';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Operations');

export const jobsRouter = router({
  overview: query({ access: { permission: 'job:read' }, run: ({ scope }) => readJobsOverview(scope) }),
});
