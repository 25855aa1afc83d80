import { isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import type { FileProblem } from '@/domain/policy-file/diff';
import type { Executor } from '../../db/client';
import { listOwnerNames } from '../queries/policy-files';

type Names = Awaited<ReturnType<typeof listOwnerNames>>;
export type OwnerName = { readonly tenant: string | null; readonly project: string | null };

/** Owners by name and by id. */
export class FileOwners {
  readonly #tenants: ReadonlyMap<string, string>;
  readonly #projects: ReadonlyMap<string, Names['projects'][number]>;
  readonly #byName: ReadonlyMap<string, Owned>;

  constructor({ tenants, projects }: Names, reach: Reach) {
    this.#tenants = new Map(tenants.map(({ id, name }) => [id, name]));
    this.#projects = new Map(projects.map((project) => [project.id, project]));
    const owners: [OwnerName, Owned][] = [
      ...tenants.map(({ id, name }): [OwnerName, Owned] => [
        { tenant: name, project: null },
        { tenant_id: id, project_id: null },
      ]),
      ...projects.map(({ id, tenant_id, name }): [OwnerName, Owned] => [
        { tenant: this.#tenants.get(tenant_id) ?? '', project: name },
        { tenant_id, project_id: id },
      ]),
    ];
    const visible = owners.filter(([, owner]) => isWithinReach(owner, reach));
    this.#byName = new Map(visible.map(([{ tenant, project }, owner]) => [JSON.stringify([tenant, project]), owner]));
  }

  static async read(executor: Executor, reach: Reach): Promise<FileOwners> {
    return new FileOwners(await listOwnerNames(executor), reach);
  }

  /** The names of an owner. */
  nameOf({ tenant_id, project_id }: Owned): OwnerName {
    return {
      tenant: tenant_id === null ? null : (this.#tenants.get(tenant_id) ?? tenant_id),
      project: project_id === null ? null : (this.#projects.get(project_id)?.name ?? project_id),
    };
  }

  /** The owner of these names; the answer is the same for one that does not exist and one that is not visible. */
  find({ tenant, project }: OwnerName): Owned | Omit<FileProblem, 'field'> {
    if (tenant === null) return { tenant_id: null, project_id: null };
    const owner = this.#byName.get(JSON.stringify([tenant, project]));
    if (owner) return owner;
    const what = project === null ? `tenant ${tenant}` : `project ${project} of the tenant ${tenant}`;
    return { message: `The ${what} was not found. Check the name and your permissions.` };
  }

  /** The reach narrowed to a tenant. @returns null when the tenant is not visible */
  findTenant(name: string): string | null {
    for (const [id, known] of this.#tenants) {
      if (known === name) return this.#byName.has(JSON.stringify([name, null])) ? id : null;
    }
    return null;
  }
}
