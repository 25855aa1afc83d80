import { z } from 'zod';
import {
  CreatedNotificationChannel,
  NotificationChannel,
  NotificationChannelInput,
  NotificationChannelListInput,
  NotificationChannelPage,
  NotificationChannelUpdate,
  RotateSecretInput,
} from '@/domain/notifications/channel';
import {
  NotificationDelivery,
  NotificationDeliveryListInput,
  NotificationDeliveryPage,
} from '@/domain/notifications/delivery';
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
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Notifications';
const reads = { permission: 'notification:read' } as const;
const writes = { permission: 'notification:write' } as const;
const params = z.object({ channel_id: z.uuid() });
const deliveryParams = z.object({ delivery_id: z.uuid() });

export const notificationChannelRoutes = [
  defineRoute({
    method: 'GET',
    path: '/notification-channels',
    summary: 'Notification channels: webhooks and e-mail, without what is secret in them.',
    tag,
    access: reads,
    query: NotificationChannelListInput,
    response: { status: 200, schema: NotificationChannelPage },
    handler: ({ scope, query }) => listChannels(scope, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/notification-channels',
    summary: 'Create a notification channel. The signing secret of a webhook is told this once.',
    tag,
    access: writes,
    body: NotificationChannelInput,
    response: { status: 201, schema: CreatedNotificationChannel },
    handler: ({ scope, body }) => createChannel(scope, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/notification-channels/{channel_id}',
    summary: 'One notification channel.',
    tag,
    access: reads,
    params,
    response: { status: 200, schema: NotificationChannel },
    handler: ({ scope, params }) => readChannel(scope, params.channel_id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/notification-channels/{channel_id}',
    summary: 'Change a notification channel. If-Match or version guards against lost updates.',
    tag,
    access: writes,
    params,
    body: NotificationChannelUpdate,
    response: { status: 200, schema: NotificationChannel },
    handler: ({ scope, params, body, request }) =>
      updateChannel(scope, params.channel_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/notification-channels/{channel_id}',
    summary: 'Delete a notification channel that no rule uses.',
    tag,
    access: writes,
    params,
    response: { status: 204 },
    handler: ({ scope, params }) => deleteChannel(scope, params.channel_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/notification-channels/{channel_id}/rotate-secret',
    summary: 'Give a webhook another signing secret, told this once. The one before signs as well for grace_hours.',
    tag,
    access: writes,
    params,
    body: RotateSecretInput,
    bodyOptional: true,
    response: { status: 200, schema: CreatedNotificationChannel },
    handler: ({ scope, params, body }) => rotateSigningSecret(scope, params.channel_id, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/notification-channels/{channel_id}/end-previous-secret',
    summary: 'End the signing secret from before the last rotation now.',
    tag,
    access: writes,
    params,
    response: { status: 200, schema: NotificationChannel },
    handler: ({ scope, params }) => endPreviousSecret(scope, params.channel_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/notification-channels/{channel_id}/test',
    summary: 'Send a test to a notification channel; its delivery tells how it went.',
    tag,
    access: writes,
    params,
    response: { status: 202, schema: NotificationDelivery },
    handler: ({ scope, params }) => testChannel(scope, params.channel_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/notification-deliveries',
    summary: 'The log of deliveries, newest first.',
    tag,
    access: reads,
    query: NotificationDeliveryListInput,
    response: { status: 200, schema: NotificationDeliveryPage },
    handler: ({ scope, query }) => listDeliveries(scope, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/notification-deliveries/{delivery_id}',
    summary: 'One delivery.',
    tag,
    access: reads,
    params: deliveryParams,
    response: { status: 200, schema: NotificationDelivery },
    handler: ({ scope, params }) => readDelivery(scope, params.delivery_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/notification-deliveries/{delivery_id}/retry',
    summary: 'Try a delivery that failed once more.',
    tag,
    access: writes,
    params: deliveryParams,
    response: { status: 202, schema: NotificationDelivery },
    handler: ({ scope, params }) => retryDelivery(scope, params.delivery_id),
  }),
];
