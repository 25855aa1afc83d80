import { z } from 'zod';
import {
  NotificationChannelInput,
  NotificationChannelListInput,
  NotificationChannelUpdate,
  RotateSecretInput,
} from '@/domain/notifications/channel';
import { NotificationDeliveryListInput } from '@/domain/notifications/delivery';
import { NotificationSettingsUpdate } from '@/domain/notifications/settings';
import {
  createChannel,
  deleteChannel,
  listChannels,
  readChannel,
  updateChannel,
} from '../../services/notifications/channels';
import { listDeliveries, readDelivery, retryDelivery } from '../../services/notifications/deliveries';
import { endPreviousSecret, rotateSigningSecret } from '../../services/notifications/rotate-signing-secret';
import { testChannel } from '../../services/notifications/send-test';
import { readNotificationSettings, updateNotificationSettings } from '../../services/notifications/update-settings';
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });

export const notificationChannelsRouter = router({
  list: procedure('notification:read')
    .input(NotificationChannelListInput)
    .query(({ ctx, input }) => listChannels(ctx.scope, input)),
  get: procedure('notification:read')
    .input(byId)
    .query(({ ctx, input }) => readChannel(ctx.scope, input.id)),
  create: procedure('notification:write')
    .input(NotificationChannelInput)
    .mutation(({ ctx, input }) => createChannel(ctx.scope, input)),
  update: procedure('notification:write')
    .input(NotificationChannelUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateChannel(ctx.scope, id, changes)),
  rotateSecret: procedure('notification:write')
    .input(RotateSecretInput.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...grace } }) => rotateSigningSecret(ctx.scope, id, grace)),
  endPreviousSecret: procedure('notification:write')
    .input(byId)
    .mutation(({ ctx, input }) => endPreviousSecret(ctx.scope, input.id)),
  test: procedure('notification:write')
    .input(byId)
    .mutation(({ ctx, input }) => testChannel(ctx.scope, input.id)),
  delete: procedure('notification:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteChannel(ctx.scope, input.id)),
  deliveries: procedure('notification:read')
    .input(NotificationDeliveryListInput)
    .query(({ ctx, input }) => listDeliveries(ctx.scope, input)),
  delivery: procedure('notification:read')
    .input(byId)
    .query(({ ctx, input }) => readDelivery(ctx.scope, input.id)),
  retryDelivery: procedure('notification:write')
    .input(byId)
    .mutation(({ ctx, input }) => retryDelivery(ctx.scope, input.id)),
  settings: procedure('settings:read').query(({ ctx }) => readNotificationSettings(ctx.scope)),
  updateSettings: procedure('*')
    .input(NotificationSettingsUpdate)
    .mutation(({ ctx, input }) => updateNotificationSettings(ctx.scope, input)),
});
