import { describe, expect, it } from 'vitest';
import { AccessControl } from './acl';
import { extractToken } from './sign-in';

function setup(major: 8 | 9 = 9) {
  const access = new AccessControl(major, (vmid) => (vmid === 100 ? 'prod' : undefined));
  access.users.set('a@pve', { id: 'a@pve', enabled: true, expire: 0 });
  const token = { id: 'a@pve!t1', userId: 'a@pve', secret: 's', privilegeSeparated: true, expire: 0 };
  access.tokens.set(token.id, token);
  return { access, token };
}

describe('rights of a token', () => {
  it('has none of its own although the owner has', () => {
    const { access, token } = setup();
    access.grant({ path: '/', subject: 'a@pve', role: 'PVEAuditor', propagate: true });
    expect(access.privileges('a@pve', '/vms/1').size).toBeGreaterThan(0);
    expect(access.privileges(token.id, '/vms/1').size).toBe(0);
  });

  it('never exceed the permissions of the owner', () => {
    const { access, token } = setup();
    access.grant({ path: '/vms', subject: 'a@pve', role: 'PVEAuditor', propagate: true });
    access.grant({ path: '/', subject: token.id, role: 'Administrator', propagate: true });
    expect(access.allows(token.id, '/vms/1', ['VM.Audit'])).toBe(true);
    expect(access.allows(token.id, '/vms/1', ['VM.Config.Network'])).toBe(false);
    expect(access.allows(token.id, '/nodes/x', ['Sys.Audit'])).toBe(false);
  });

  it('equals the owner without privilege separation', () => {
    const { access, token } = setup();
    token.privilegeSeparated = false;
    access.grant({ path: '/', subject: 'a@pve', role: 'PVEAuditor', propagate: true });
    expect(access.allows(token.id, '/', ['Sys.Audit'])).toBe(true);
  });
});

describe('access control entries', () => {
  it('let a deeper entry replace what was inherited', () => {
    const { access } = setup();
    access.grant({ path: '/', subject: 'a@pve', role: 'Administrator', propagate: true });
    access.grant({ path: '/vms/7', subject: 'a@pve', role: 'PVEAuditor', propagate: true });
    access.grant({ path: '/vms/8', subject: 'a@pve', role: 'NoAccess', propagate: true });
    expect(access.allows('a@pve', '/vms/6', ['VM.Config.Network'])).toBe(true);
    expect(access.allows('a@pve', '/vms/7', ['VM.Config.Network'])).toBe(false);
    expect(access.privileges('a@pve', '/vms/8').size).toBe(0);
  });

  it('hold only on their own path without propagation, and still count as granted there', () => {
    const { access } = setup();
    access.grant({ path: '/vms', subject: 'a@pve', role: 'PVEAuditor', propagate: false });
    expect(access.privileges('a@pve', '/vms').get('VM.Audit')).toBe(false);
    expect(access.allows('a@pve', '/vms', ['VM.Audit'])).toBe(true);
    expect(access.allows('a@pve', '/vms/1', ['VM.Audit'])).toBe(false);
  });

  it('apply to the guests of a pool when set on the pool', () => {
    const { access } = setup();
    access.grant({ path: '/pool/prod', subject: 'a@pve', role: 'PVEVMAdmin', propagate: true });
    expect(access.allows('a@pve', '/vms/100', ['VM.Config.Network'])).toBe(true);
    expect(access.allows('a@pve', '/vms/101', ['VM.Audit'])).toBe(false);
  });
});

describe('releases', () => {
  it('know different agent privileges', () => {
    expect(() => setup(9).access.addRole('Monitor', ['VM.Monitor'])).toThrow("invalid privilege 'VM.Monitor'");
    expect(() => setup(8).access.addRole('Monitor', ['VM.GuestAgent.Audit'])).toThrow();
    expect(setup(8).access.roles.get('PVEAuditor')).not.toContain('VM.GuestAgent.Audit');
  });
});

describe('the token header', () => {
  it.each([
    ['PVEAPIToken=a@pve!t=x', 'a@pve!t=x'],
    ['PVEAPIToken a@pve!t=x', 'a@pve!t=x'],
    ['PVEAPIToken=a@pve!t=x;y', 'a@pve!t=x'],
    ['PVEAPIToken=a%3Bb@pve!t=x', 'a;b@pve!t=x'],
    ['PVEAPIToken=a%zz@pve!t=x', 'a%zz@pve!t=x'],
    ['Bearer x', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads the token from %j as %j', (header, token) => {
    expect(extractToken(header)).toBe(token);
  });
});
