import { readJobsOverview } from '../../services/jobs/read-jobs-overview';
import { procedure, router } from '../trpc';

export const jobsRouter = router({
  overview: procedure('job:read').query(({ ctx }) => readJobsOverview(ctx.scope)),
});
