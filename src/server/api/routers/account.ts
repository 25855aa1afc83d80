import { readCurrentUser } from '../../services/auth/read-current-user';
import { ownProcedure, router } from '../trpc';

export const accountRouter = router({
  me: ownProcedure('Everybody may see who they are.').query(({ ctx }) => readCurrentUser(ctx.session)),
});
