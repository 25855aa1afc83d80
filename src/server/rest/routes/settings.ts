import { RuntimeSettingsRead, RuntimeSettingsUpdate } from '@/domain/settings';
import { readSettings } from '../../services/settings/read-settings';
import { updateSettings } from '../../services/settings/update-settings';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const readSettingsRoute = defineRoute({
  method: 'GET',
  path: '/settings',
  summary: 'Runtime settings: flow retention and automatic syncs.',
  tag: 'Settings',
  access: { permission: 'settings:read' },
  response: { status: 200, schema: RuntimeSettingsRead },
  handler: ({ scope }) => readSettings(scope),
});

const updateSettingsRoute = defineRoute({
  method: 'PATCH',
  path: '/settings',
  summary: 'Change runtime settings. Super administrators only.',
  tag: 'Settings',
  access: { permission: '*' },
  body: RuntimeSettingsUpdate,
  response: { status: 200, schema: RuntimeSettingsRead },
  handler: ({ scope, body, request }) =>
    updateSettings(scope, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

export const settingsRoutes = [readSettingsRoute, updateSettingsRoute];
