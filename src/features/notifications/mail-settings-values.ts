import type { NotificationSettings, SMTP_SECURITY } from '@/domain/notifications/settings';

/** The form of the mail settings; an empty text is none, an empty password leaves the stored one. */
export type MailValues = {
  public_url: string;
  /** Null: that of the server. */
  time_zone: string | null;
  smtp_host: string;
  smtp_port: number | null;
  smtp_security: (typeof SMTP_SECURITY)[number];
  smtp_username: string;
  smtp_password: string;
  from_address: string;
};

export function toMailValues(settings: NotificationSettings): MailValues {
  return {
    public_url: settings.public_url ?? '',
    time_zone: settings.time_zone,
    smtp_host: settings.smtp_host ?? '',
    smtp_port: settings.smtp_port,
    smtp_security: settings.smtp_security,
    smtp_username: settings.smtp_username ?? '',
    smtp_password: '',
    from_address: settings.from_address ?? '',
  };
}

const orNull = (text: string) => (text.trim() === '' ? null : text);

/** What is sent. Without a user name the stored password is of no use and goes. */
export function toMailUpdate(
  values: MailValues,
  { version, smtp_password_set }: Pick<NotificationSettings, 'version' | 'smtp_password_set'>,
): object {
  const username = orNull(values.smtp_username);
  const password =
    values.smtp_password !== ''
      ? { smtp_password: values.smtp_password }
      : username === null && smtp_password_set
        ? { smtp_password: null }
        : {};
  return {
    public_url: orNull(values.public_url),
    time_zone: values.time_zone,
    smtp_host: orNull(values.smtp_host),
    smtp_port: values.smtp_port,
    smtp_security: values.smtp_security,
    smtp_username: username,
    from_address: orNull(values.from_address),
    ...password,
    version,
  };
}
