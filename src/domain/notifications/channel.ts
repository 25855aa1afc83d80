import { z } from 'zod';
import { CHANNEL_KINDS, CHANNEL_SORTS, CHANNEL_TEMPLATES, GRACE_HOURS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { parseHttpUrl } from '../net/url';
import { DisplayName, Version } from '../tenant';
import { TimeZone } from './local-time';

export type ChannelTemplate = (typeof CHANNEL_TEMPLATES)[number];

export const MAX_RECIPIENTS = 20;

const WebhookUrl = z
  .string('Enter the URL as text.')
  .trim()
  .max(2000, 'At most 2000 characters.')
  .refine((text) => parseHttpUrl(text) !== null, 'An http:// or https:// URL without user name and password.');

/** One mailbox each: no line breaks, commas or angle brackets with which an address could become several, or a header. */
const Recipient = z
  .email('An email address such as ops@example.org.')
  .max(254, 'At most 254 characters.')
  .toLowerCase();
const Recipients = z
  .array(Recipient, 'A list of email addresses.')
  .min(1, 'Enter at least one address.')
  .max(MAX_RECIPIENTS, `At most ${MAX_RECIPIENTS} addresses.`)
  .transform((list) => [...new Set(list)]);

const Template = z.enum(CHANNEL_TEMPLATES, `One of ${CHANNEL_TEMPLATES.join(', ')}.`);

/** Integration key of a PagerDuty service. */
const RoutingKey = z
  .string('Enter the integration key as text.')
  .trim()
  .regex(/^[0-9A-Za-z]{16,64}$/, 'The integration key of a PagerDuty service: letters and digits.');

const shared = {
  tenant_id: z.uuid('The ID of a tenant.').nullable().optional(),
  name: DisplayName,
  /** Of the times in messages; null: the time zone of the installation. */
  time_zone: TimeZone.nullable().optional(),
};

export const NotificationChannelInput = z.discriminatedUnion(
  'kind',
  [
    z
      .strictObject({
        ...shared,
        kind: z.literal('webhook'),
        url: WebhookUrl,
        template: Template.default('fabric'),
        routing_key: RoutingKey.optional(),
        enabled: z.boolean().default(true),
      })
      .superRefine(({ template, routing_key }, context) => {
        const message = findRoutingKeyError(template, routing_key);
        if (message !== null) context.addIssue({ code: 'custom', path: ['routing_key'], message });
      }),
    z.strictObject({
      ...shared,
      kind: z.literal('email'),
      recipients: Recipients,
      enabled: z.boolean().default(true),
    }),
  ],
  { error: `kind must be one of ${CHANNEL_KINDS.join(', ')}.` },
);
export type NotificationChannelInput = z.output<typeof NotificationChannelInput>;

/** What is wrong with the integration key of a channel, given or missing; null: nothing. */
export function findRoutingKeyError(template: ChannelTemplate, key: string | null | undefined): string | null {
  if (template === 'pagerduty') return key ? null : 'Enter the integration key of the PagerDuty service.';
  return key ? 'Only the template pagerduty has an integration key: omit this field.' : null;
}

/** What is left out stays; `url`, `template` and `routing_key` are for webhooks, `recipients` for email. Kind and tenant stay as they are. */
export const NotificationChannelUpdate = z.strictObject({
  name: DisplayName.optional(),
  enabled: z.boolean('One of true, false.').optional(),
  url: WebhookUrl.optional(),
  template: Template.optional(),
  routing_key: RoutingKey.optional(),
  time_zone: TimeZone.nullable().optional(),
  recipients: Recipients.optional(),
  version: Version,
});
export type NotificationChannelUpdate = z.output<typeof NotificationChannelUpdate>;

export const RotateSecretInput = z.strictObject({
  /** 0: the secret before ends immediately. */
  grace_hours: z
    .int('A whole number of hours.')
    .min(GRACE_HOURS.min, 'At least 0 hours.')
    .max(GRACE_HOURS.max, 'At most 168 hours (7 days).')
    .default(GRACE_HOURS.default),
});
export type RotateSecretInput = z.output<typeof RotateSecretInput>;

/** Where notices go. Neither the path of a URL nor the signing secret is ever told again. */
export const NotificationChannel = z.object({
  id: z.uuid(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  enabled: z.boolean(),
  /** Of webhooks. */
  template: z.enum(CHANNEL_TEMPLATES),
  time_zone: z.string().nullable(),
  url_origin: z.string().nullable(),
  recipients: z.array(z.string()),
  /** Until when deliveries are signed with the secret before the last rotation as well; null: they are not. */
  previous_secret_until: z.iso.datetime().nullable(),
  rules_total: z.int(),
  /** When a delivery last ended, and how. */
  last_delivery_at: z.iso.datetime().nullable(),
  last_delivery_status: z.enum(['sent', 'failed']).nullable(),
  version: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type NotificationChannel = z.output<typeof NotificationChannel>;

/** `signing_secret` is shown only this once. */
export const CreatedNotificationChannel = NotificationChannel.extend({ signing_secret: z.string().nullable() });
export type CreatedNotificationChannel = z.output<typeof CreatedNotificationChannel>;

export const NotificationChannelListInput = listInput(CHANNEL_SORTS, {
  kind: z.enum(CHANNEL_KINDS, `One of ${CHANNEL_KINDS.join(', ')}.`).optional(),
  tenant_id: z.union([z.uuid(), z.literal('none')], 'The ID of a tenant, or none.').optional(),
});
export type NotificationChannelListInput = z.output<typeof NotificationChannelListInput>;
export const NotificationChannelPage = createPageSchema(NotificationChannel);

/** Which message to preview, and how it would be rendered. */
export const PayloadPreviewInput = z.strictObject({
  kind: z.enum(CHANNEL_KINDS, `One of ${CHANNEL_KINDS.join(', ')}.`).default('webhook'),
  template: Template.default('fabric'),
  time_zone: TimeZone.optional(),
  event: z.enum(['opened', 'closed', 'test'], 'One of opened, closed, test.').default('opened'),
});
export type PayloadPreviewInput = z.output<typeof PayloadPreviewInput>;

/** The bodies of the requests of a webhook in their order, or the text of an email. */
export const PayloadPreview = z.object({
  content_type: z.string(),
  subject: z.string().nullable(),
  bodies: z.array(z.string()),
});
export type PayloadPreview = z.output<typeof PayloadPreview>;
