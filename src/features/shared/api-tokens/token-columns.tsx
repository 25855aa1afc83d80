import type { ApiToken } from '@/domain/account';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { RelativeTime } from '@/ui/relative-time';
import { permissionsText } from '../permissions/permission-words';

const make = columnsOf<ApiToken>();

/** Columns of a list of API tokens. */
export const TOKEN_COLUMNS = [
  make.text('name', 'Name', (token) => token.name, { width: 160, grow: true }),
  make.mono('prefix', 'Begins with', (token) => `${token.prefix}…`, { width: 170 }),
  make.custom(
    'permissions',
    'Permissions',
    (token) => <span title={token.permissions.join(', ')}>{permissionsText(token.permissions)}</span>,
    { width: 110, csv: (token) => token.permissions.join(' ') },
  ),
  make.text('tenant_name', 'Where', (token) => token.tenant_name ?? 'Everywhere', { width: 120 }),
  make.custom('last_used_at', 'Last used', (token) => <RelativeTime at={token.last_used_at} none="Never" />, {
    width: 130,
    csv: (token) => token.last_used_at,
  }),
  make.mono('last_used_address', 'From', (token) => token.last_used_address, { width: 130 }),
  make.custom(
    'expires_at',
    'Expires',
    (token) => (token.expired ? <Badge tone="off">Expired</Badge> : <RelativeTime at={token.expires_at} />),
    { width: 120, csv: (token) => token.expires_at },
  ),
];
