import { z } from 'zod';
import { normalizeHost } from '../net/host-port';
import { parseHttpUrl } from '../net/url';
import { TimeZone } from './local-time';

/** `tls`: from the first byte (port 465); `starttls`: required, never without (587); `none`: in clear text. */
export const SMTP_SECURITY = ['tls', 'starttls', 'none'] as const;

export const Host = z
  .string('Enter the host as text.')
  .trim()
  .max(253, 'At most 253 characters.')
  .transform((text, context) => {
    const host = normalizeHost(text);
    if (host === null) context.addIssue({ code: 'custom', message: 'A host name or address without a port.' });
    return host ?? z.NEVER;
  });

const oneLine = (max: number) =>
  z
    .string('Enter a text.')
    .trim()
    .max(max, `At most ${max} characters.`)
    .regex(/^[^\p{Cc}]*$/u, 'One line without control characters.');

const Editable = {
  /** The address of this service in links of notices; without it they have none. */
  public_url: z
    .string('Enter the URL as text.')
    .trim()
    .max(500, 'At most 500 characters.')
    .refine((text) => {
      const url = parseHttpUrl(text);
      return url !== null && url.search === '';
    }, 'An http:// or https:// URL such as https://fabric.example.org.')
    .transform((text) => text.replace(/\/+$/, ''))
    .nullable(),
  /** Of the times in messages; null: the time zone of the server. */
  time_zone: TimeZone.nullable(),
  smtp_host: Host.nullable(),
  smtp_port: z.int('A port number.').min(1, 'A port number, 1 to 65535.').max(65_535, 'A port number, 1 to 65535.'),
  smtp_security: z.enum(SMTP_SECURITY, `One of ${SMTP_SECURITY.join(', ')}.`),
  /** Null: without signing in. */
  smtp_username: oneLine(200).min(1, 'Enter a user name, or omit this field.').nullable(),
  from_address: z.email('An email address such as fabric@example.org.').max(254, 'At most 254 characters.').nullable(),
};

/** What an administrator chose; stored under the key `notifications`, the password beside it. */
export const NotificationChoices = z.object(Editable);
export type NotificationChoices = z.output<typeof NotificationChoices>;

export const DEFAULT_NOTIFICATION_CHOICES: NotificationChoices = {
  public_url: null,
  time_zone: null,
  smtp_host: null,
  smtp_port: 587,
  smtp_security: 'starttls',
  smtp_username: null,
  from_address: null,
};

/** The password itself is never returned. */
export const NotificationSettings = NotificationChoices.extend({
  public_url: z.string().nullable(),
  smtp_host: z.string().nullable(),
  time_zone: z.string().nullable(),
  smtp_password_set: z.boolean(),
  version: z.int(),
  updated_at: z.iso.datetime(),
});
export type NotificationSettings = z.output<typeof NotificationSettings>;

/** Only the fields that change; `smtp_password` null takes it away. */
export const NotificationSettingsUpdate = z
  .strictObject({
    ...Editable,
    smtp_password: z.string('Enter the password as text.').min(1).max(1000, 'At most 1000 characters.').nullable(),
    version: z.int().min(1),
  })
  .partial();
export type NotificationSettingsUpdate = z.output<typeof NotificationSettingsUpdate>;
