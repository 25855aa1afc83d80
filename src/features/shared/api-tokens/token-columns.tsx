import type { ApiToken } from '@/domain/account';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { RelativeTime } from '@/ui/values';
import { permissionsText } from '../permissions/permission-labels';

const make = createColumnHelper<ApiToken>();

/** Columns of a list of API tokens. */
export const tokenColumns = (t: Translate) => [
  make.text('name', t('Name'), (token) => token.name, { width: 160, grow: true }),
  make.mono('prefix', t('Begins with'), (token) => `${token.prefix}…`, { width: 170 }),
  make.custom(
    'permissions',
    t('Permissions'),
    (token) => <span title={token.permissions.join(', ')}>{permissionsText(t, token.permissions)}</span>,
    { width: 110, csv: (token) => token.permissions.join(' ') },
  ),
  make.text('tenant_name', t('Scope'), (token) => token.tenant_name ?? t('Everywhere'), { width: 120 }),
  make.custom('last_used_at', t('Last used'), (token) => <RelativeTime at={token.last_used_at} none={t('Never')} />, {
    width: 130,
    csv: (token) => token.last_used_at,
  }),
  make.mono('last_used_address', t('From'), (token) => token.last_used_address, { width: 130 }),
  make.custom(
    'expires_at',
    t('Expires'),
    (token) => (token.expired ? <Badge tone="off">{t('Expired')}</Badge> : <RelativeTime at={token.expires_at} />),
    { width: 120, csv: (token) => token.expires_at },
  ),
  make.custom(
    'suspended_at',
    t('Status'),
    (token) =>
      token.suspended_at ? <Badge tone="warn">{t('Suspended')}</Badge> : token.expired ? t('Expired') : t('Active'),
    { width: 110, csv: (token) => token.suspended_at },
  ),
];
