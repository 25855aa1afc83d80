import {
  CreatedNotificationChannel,
  NotificationChannel,
  NotificationChannelInput,
  NotificationChannelListInput,
  NotificationChannelPage,
  NotificationChannelUpdate,
  PayloadPreview,
  PayloadPreviewInput,
  RotateSecretInput,
} from '@/domain/notifications/channel';
import {
  NotificationDelivery,
  NotificationDeliveryListInput,
  NotificationDeliveryPage,
} from '@/domain/notifications/delivery';
import { NotificationSettings, NotificationSettingsUpdate } from '@/domain/notifications/settings';
import { createChannel, deleteChannel, readChannel, updateChannel } from '../../notifications/channels';
import { readDelivery, retryDelivery } from '../../notifications/deliveries';
import { previewPayload } from '../../notifications/preview-payload';
import { listChannels } from '../../notifications/queries/notification-channels';
import { listDeliveries } from '../../notifications/queries/notification-deliveries';
import { endPreviousSecret, rotateSigningSecret } from '../../notifications/rotate-signing-secret';
import { testChannel } from '../../notifications/send-test';
import { storedNotificationSettings, updateNotificationSettings } from '../../notifications/settings';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Notifications');
const reads = { permission: 'notification:read' } as const;
const writes = { permission: 'notification:write' } as const;

export const notificationChannelsRouter = router({
  list: query({
    rest: 'GET /notification-channels',
    summary: 'List notification channels (webhooks and email) without their secrets.',
    access: reads,
    input: NotificationChannelListInput,
    output: NotificationChannelPage,
    run: ({ scope, input }) => listChannels(scope.tenants, input),
  }),
  create: mutation({
    rest: 'POST /notification-channels',
    summary: 'Create a notification channel. The signing secret of a webhook is shown only in this response.',
    access: writes,
    input: NotificationChannelInput,
    output: CreatedNotificationChannel,
    status: 201,
    run: ({ scope, input }) => createChannel(scope, input),
  }),
  get: query({
    rest: 'GET /notification-channels/{channel_id}',
    summary: 'Get one notification channel.',
    access: reads,
    output: NotificationChannel,
    run: ({ scope, params }) => readChannel(scope, params.channel_id),
  }),
  update: mutation({
    rest: 'PATCH /notification-channels/{channel_id}',
    summary: 'Update a notification channel. If-Match or version prevents lost updates.',
    access: writes,
    input: NotificationChannelUpdate,
    output: NotificationChannel,
    run: ({ scope, params, input }) => updateChannel(scope, params.channel_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /notification-channels/{channel_id}',
    summary: 'Delete a notification channel that no rule uses.',
    access: writes,
    input: ByVersion,
    run: ({ scope, params, input }) => deleteChannel(scope, params.channel_id, input.version),
  }),
  rotateSecret: mutation({
    rest: 'POST /notification-channels/{channel_id}/rotate-secret',
    summary:
      'Rotate the signing secret of a webhook. The new secret is shown only once; the previous one also signs for grace_hours.',
    access: writes,
    input: RotateSecretInput,
    output: CreatedNotificationChannel,
    bodyOptional: true,
    run: ({ scope, params, input }) => rotateSigningSecret(scope, params.channel_id, input),
  }),
  endPreviousSecret: mutation({
    rest: 'POST /notification-channels/{channel_id}/end-previous-secret',
    summary: 'End the previous signing secret immediately.',
    access: writes,
    output: NotificationChannel,
    run: ({ scope, params }) => endPreviousSecret(scope, params.channel_id),
  }),
  test: mutation({
    rest: 'POST /notification-channels/{channel_id}/test',
    summary: 'Send a test message to a notification channel. Its delivery contains the result.',
    access: writes,
    output: NotificationDelivery,
    status: 202,
    run: ({ scope, params }) => testChannel(scope, params.channel_id),
  }),
  preview: query({
    rest: 'GET /notification-payload-preview',
    summary: 'Preview the payload of a channel with a template, as it would be sent.',
    access: reads,
    input: PayloadPreviewInput,
    output: PayloadPreview,
    run: ({ scope, input }) => previewPayload(scope, input),
  }),
  deliveries: query({
    rest: 'GET /notification-deliveries',
    summary: 'List deliveries, newest first.',
    access: reads,
    input: NotificationDeliveryListInput,
    output: NotificationDeliveryPage,
    run: ({ scope, input }) => listDeliveries(scope.tenants, input),
  }),
  delivery: query({
    rest: 'GET /notification-deliveries/{delivery_id}',
    summary: 'Get one delivery.',
    access: reads,
    output: NotificationDelivery,
    run: ({ scope, params }) => readDelivery(scope, params.delivery_id),
  }),
  retryDelivery: mutation({
    rest: 'POST /notification-deliveries/{delivery_id}/retry',
    summary: 'Retry a failed delivery.',
    access: writes,
    output: NotificationDelivery,
    status: 202,
    run: ({ scope, params }) => retryDelivery(scope, params.delivery_id),
  }),
  settings: query({
    rest: 'GET /settings/notifications',
    summary: 'Get the mail server and the address of this service in notifications.',
    access: { permission: 'settings:read' },
    output: NotificationSettings,
    run: () => storedNotificationSettings(),
  }),
  updateSettings: mutation({
    rest: 'PATCH /settings/notifications',
    summary: 'Update the mail server or the address in notifications. Super administrators only.',
    access: { permission: '*' },
    input: NotificationSettingsUpdate,
    output: NotificationSettings,
    run: ({ scope, input }) => updateNotificationSettings(scope, input),
  }),
});
