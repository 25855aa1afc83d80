'use client';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { answerAccess } from '@/domain/answer-access';
import { PERMISSION_REACH, PERMISSIONS } from '@/domain/permissions';
import type { User, UserAccess } from '@/domain/user';
import { Combobox } from '@/ui/combobox';
import { Notice } from '@/ui/notice';
import type { Option } from '@/ui/option';
import { Section } from '@/ui/section';
import { PERMISSION_WORDS } from '../../shared/permissions/permission-words';
import { RoleLink } from '../admin-links';
import { useTenantChoices } from '../use-choices';
import { answerText } from './access-words';

const EVERYTHING = 'Everything, and changing the settings';
const ASKED = ['*', ...PERMISSIONS] as const;
const PERMISSION_OPTIONS: Option[] = ASKED.map((value) => ({
  value,
  label: value,
  description: value === '*' ? EVERYTHING : PERMISSION_WORDS[value],
}));
const EVERYWHERE = { value: 'all', label: 'The whole installation' };

/** "May they do this there?", answered with the role that gives it or what is lacking. The question is in the address. */
export function AccessQuestion({ user, access }: { user: User; access: UserAccess }) {
  const tenants = useTenantChoices();
  const [asked, ask] = useQueryStates({
    permission: parseAsStringLiteral(ASKED),
    tenant_id: parseAsString,
  });
  const places = [EVERYWHERE, ...tenants];
  const place = places.find(({ value }) => value === asked.tenant_id) ?? EVERYWHERE;
  const row = access.permissions.find(({ permission }) => permission === asked.permission);
  return (
    <Section title="Ask">
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <span>
            May <span className="[overflow-wrap:anywhere]">{user.email}</span> use
          </span>
          <div className="w-64 max-w-full">
            <Combobox
              aria-label="Permission"
              value={PERMISSION_OPTIONS.find(({ value }) => value === asked.permission) ?? null}
              onValueChange={(option) => void ask({ permission: ASKED.find((one) => one === option?.value) ?? null })}
              options={PERMISSION_OPTIONS}
              placeholder="a permission"
            />
          </div>
          <span>in</span>
          <div className="w-64 max-w-full">
            <Combobox
              aria-label="Where"
              value={place}
              onValueChange={(option) =>
                void ask({ tenant_id: option && option.value !== 'all' ? option.value : null })
              }
              options={places}
            />
          </div>
        </div>
        {row && <Answer access={access} row={row} place={place} />}
      </div>
    </Section>
  );
}

type Row = UserAccess['permissions'][number];

function Answer({ access, row, place }: { access: UserAccess; row: Row; place: Option }) {
  const tenantId = place.value === 'all' ? null : place.value;
  const answer = answerAccess(access, row, tenantId);
  const known = PERMISSIONS.find((one) => one === row.permission);
  const platform = known === undefined || PERMISSION_REACH[known] === 'platform';
  return (
    <Notice tone={answer.allowed ? 'ok' : 'info'} live title={answer.allowed ? 'Yes' : 'No'}>
      <p>{answerText(answer)}</p>
      {!answer.allowed && answer.lack !== 'deactivated' && answer.lack !== 'second_factor' && (
        <p>
          Roles that have it:{' '}
          {row.roles.map(({ id, title }, i) => (
            <span key={id}>
              {i > 0 && ', '}
              <RoleLink id={id} title={title} />
            </span>
          ))}
          {platform || tenantId === null
            ? ', held for the whole installation.'
            : `, held for ${place.label} or for the whole installation.`}
        </p>
      )}
    </Notice>
  );
}
