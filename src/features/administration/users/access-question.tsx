'use client';
import { Fragment, useMemo } from 'react';
import { evaluateAccess } from '@/domain/evaluate-access';
import { PERMISSION_REACH, PERMISSIONS } from '@/domain/permissions';
import type { User, UserAccess } from '@/domain/user';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { URL_TEXT, urlEnum, useUrlValues } from '@/lib/url-state';
import { Combobox } from '@/ui/combobox';
import { Notice } from '@/ui/notice';
import type { Option } from '@/ui/option';
import { Section } from '@/ui/section';
import { PERMISSION_LABELS } from '../../shared/permissions/permission-labels';
import { RoleLink } from '../admin-links';
import { EVERYWHERE, parsePlace, useRolePlaces } from '../use-choices';
import { answerText, EVERYTHING } from './access-labels';

const ASKED = ['*', ...PERMISSIONS] as const;
const permissionOptions = (t: Translate): Option[] =>
  ASKED.map((value) => ({
    value,
    label: value,
    description: t(value === '*' ? EVERYTHING : PERMISSION_LABELS[value]),
  }));

const PARSERS = {
  permission: urlEnum(ASKED),
  // Where, see `placeValue`.
  tenant_id: URL_TEXT,
};

/** "May they do this there?", answered with the role that gives it or what is lacking. The question is in the address. */
export function AccessQuestion({ user, access }: { user: User; access: UserAccess }) {
  const t = useT();
  const [asked, ask] = useUrlValues(PARSERS);
  const places = useRolePlaces();
  const place = places.find(({ value }) => value === asked.tenant_id) ?? places[0];
  const permissions = useMemo(() => permissionOptions(t), [t]);
  const row = access.permissions.find(({ permission }) => permission === asked.permission);
  return (
    <Section title={t('Check access')}>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          {t.rich('<words>Does {user} have</words> {permission} <words>in</words> {place}', {
            user: <span className="[overflow-wrap:anywhere]">{user.email}</span>,
            words: (inside) => <span>{inside}</span>,
            permission: (
              <div className="w-64 max-w-full">
                <Combobox
                  aria-label={t('Permission')}
                  value={permissions.find(({ value }) => value === asked.permission) ?? null}
                  onValueChange={(option) =>
                    void ask({ permission: ASKED.find((one) => one === option?.value) ?? null })
                  }
                  options={permissions}
                  placeholder={t('a permission')}
                />
              </div>
            ),
            place: (
              <div className="w-64 max-w-full">
                <Combobox
                  aria-label={t('Scope')}
                  value={place ?? null}
                  onValueChange={(option) =>
                    void ask({ tenant_id: option && option.value !== EVERYWHERE ? option.value : null })
                  }
                  options={places}
                />
              </div>
            ),
          })}
        </div>
        {row && place && <Answer access={access} row={row} place={place} />}
      </div>
    </Section>
  );
}

type Row = UserAccess['permissions'][number];

function Answer({ access, row, place }: { access: UserAccess; row: Row; place: Option }) {
  const t = useT();
  const there = parsePlace(place.value);
  const answer = evaluateAccess(access, row, there);
  const known = PERMISSIONS.find((one) => one === row.permission);
  const reach = known === undefined ? 'platform' : PERMISSION_REACH[known];
  const platform = reach === 'platform';
  // Held for a project it would mean nothing: the tenant of the project is what it takes.
  const tenantOnly = reach === 'tenant' && there.project_id !== null;
  return (
    <Notice tone={answer.allowed ? 'ok' : 'info'} live title={answer.allowed ? t('Yes') : t('No')}>
      <p>{answerText(t, answer)}</p>
      {!answer.allowed && answer.lack !== 'deactivated' && answer.lack !== 'second_factor' && (
        <p>
          {t.rich(
            platform || there.tenant_id === null
              ? 'Roles with this permission: {roles}, assigned for the whole installation.'
              : tenantOnly
                ? 'Roles with this permission: {roles}, assigned for the whole tenant or the whole installation.'
                : 'Roles with this permission: {roles}, assigned for {tenant} or the whole installation.',
            {
              tenant: place.label,
              roles: row.roles.map(({ id, title }, i) => (
                <Fragment key={id}>
                  {i > 0 && ', '}
                  <RoleLink id={id} title={title} />
                </Fragment>
              )),
            },
          )}
        </p>
      )}
    </Notice>
  );
}
