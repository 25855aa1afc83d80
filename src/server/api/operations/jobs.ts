import { jobsOverview } from '../../jobs/overview';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Operations');

export const jobsRouter = router({
  overview: query({ access: { permission: 'job:read' }, run: () => jobsOverview() }),
});
