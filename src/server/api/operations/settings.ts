import { RuntimeSettingsRead, RuntimeSettingsUpdate } from '@/domain/settings';
import { storedSettings, updateSettings } from '../../settings/settings';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Settings');

export const settingsRouter = router({
  get: query({
    rest: 'GET /settings',
    summary: 'Get the runtime settings: flow retention and automatic syncs.',
    access: { permission: 'settings:read' },
    output: RuntimeSettingsRead,
    run: () => storedSettings(),
  }),
  update: mutation({
    rest: 'PATCH /settings',
    summary: 'Update the runtime settings. Super administrators only.',
    access: { permission: '*' },
    input: RuntimeSettingsUpdate,
    output: RuntimeSettingsRead,
    run: ({ scope, input }) => updateSettings(scope, input),
  }),
});
