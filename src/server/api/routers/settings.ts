import { RuntimeSettingsUpdate } from '@/domain/settings';
import { readSettings } from '../../services/settings/read-settings';
import { updateSettings } from '../../services/settings/update-settings';
import { procedure, router } from '../trpc';

export const settingsRouter = router({
  get: procedure('settings:read').query(({ ctx }) => readSettings(ctx.scope)),
  update: procedure('*')
    .input(RuntimeSettingsUpdate)
    .mutation(({ ctx, input }) => updateSettings(ctx.scope, input)),
});
