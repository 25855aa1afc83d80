/** In place of an id: the whole installation. */
export const EVERYWHERE = 'everywhere';

type Place = { tenant_id: string | null; project_id: string | null };

/** Where a role counts, as the value of one choice: the installation, a tenant, or `tenant/project`. */
export const placeValue = ({ tenant_id, project_id }: Place): string =>
  tenant_id === null ? EVERYWHERE : project_id === null ? tenant_id : `${tenant_id}/${project_id}`;

/** What a choice stands for. Nothing chosen is no place: an empty id, which no form accepts. */
export function placeOf(value: string | null): Place {
  if (value === EVERYWHERE) return { tenant_id: null, project_id: null };
  const [tenant_id = '', project_id = null] = (value ?? '').split('/');
  return { tenant_id, project_id };
}
