import { refuseFields } from '../../base/errors/refusal.ts';
import { type Bounds, requireActiveTenant } from '../../serving/access/bounds.ts';
import { askObject } from '../../serving/access/credential-objects.ts';
import { type Credential, rotate as withNewPair } from '../../serving/access/credential-record.ts';
import { officeScopeIn, type Scope } from '../../serving/access/scopes.ts';
import { issuePair, newCredentialId } from '../../serving/access/token.ts';
import { succeed } from '../../serving/answer.ts';
import type { App, Call } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { noteAbout } from '../administration/trail.ts';
import { addCredential, changeCredential, requireNotRevoked } from './change-credential.ts';
import { change, getOwnCredential, issue, list, revoke, rotate } from './contract.ts';
import { listCredentials } from './credentials-table.ts';
import { listed, presentCredential, presentIssued, presentOwn } from './present.ts';
import { requireReferences } from './references.ts';
import { newCredential, withRequested } from './requested.ts';

/** Mounts the administration of credentials. */
export function credentialRoutes(app: App): void {
  serve(app, issue, async (c) => {
    const body = c.req.valid('json');
    const now = c.get('now');
    const bounds = await c.get('bounds');
    requireGivable(body.scopes, bounds);
    const tenantCode = bounds.tenantOf(body.tenant);
    await bounds.requireMunicipalities(body.municipalities);
    noteAbout(c.get('log'), { tenants: [tenantCode], municipalities: body.municipalities });
    const credentialId = newCredentialId();
    const { accessToken, apiKey, ...current } = issuePair(credentialId, c.env.TOKEN_KEY);
    const added = newCredential(body, { credentialId, tenantCode, createdAt: now, current });
    await requireReferences(c.env.DB, null, added, body);
    await addCredential(c.env, added);
    noteCredential(c, added);
    return succeed(c, presentIssued(added, { accessToken, apiKey }, now), 201);
  });

  serve(app, list, async (c) => {
    const asked = c.req.valid('query');
    const bounds = await c.get('bounds');
    const tenant = bounds.listedTenant(asked.tenant);
    await bounds.requireMunicipalities(
      asked.municipality_code === undefined ? [] : [asked.municipality_code],
    );
    const { page, hasMore, previous } = await listCredentials(c.env.DB, { ...asked, tenant });
    if (asked.after !== undefined && (previous === undefined || !bounds.covers(previous))) {
      refuseFields([{ path: 'after', message: NO_CREDENTIAL }]);
    }
    return succeed(c, {
      credentials: page.map((of) => presentCredential(of, c.get('now'))),
      next_after: hasMore ? (page.at(-1)?.credentialId ?? null) : null,
    });
  });

  serve(app, change, async (c) => {
    const body = c.req.valid('json');
    const bounds = await c.get('bounds');
    requireGivable(body.scopes ?? [], bounds);
    await bounds.requireMunicipalities(body.municipalities ?? []);
    const { credential_id: id } = c.req.valid('param');
    const changed = await changeCredential(c.env, bounds, id, async (held) => {
      // An empty change rewrites the row, even that of a revoked credential.
      if (Object.keys(body).length === 0) return held;
      requireNotRevoked(held);
      const next = withRequested(held, body);
      await requireReferences(c.env.DB, held, next, body);
      return next;
    });
    return answerChanged(c, changed);
  });

  serve(app, revoke, async (c) => {
    const { credential_id: id } = c.req.valid('param');
    // If it was revoked before, it keeps that instant.
    const revoked = await changeCredential(c.env, await c.get('bounds'), id, (held) =>
      held.revokedAt === null ? { ...held, revokedAt: c.get('now') } : held,
    );
    return answerChanged(c, revoked);
  });

  serve(app, rotate, async (c) => {
    const now = c.get('now');
    const { credential_id: id } = c.req.valid('param');
    const { accessToken, apiKey, ...pair } = issuePair(id, c.env.TOKEN_KEY);
    const rotated = await changeCredential(c.env, await c.get('bounds'), id, (held) => {
      requireNotRevoked(held);
      return withNewPair(held, pair, c.req.valid('json').overlap_seconds, now);
    });
    noteCredential(c, rotated);
    return succeed(c, presentIssued(rotated, { accessToken, apiKey }, now));
  });
}

/** Mounts the operation by which a credential reads itself: what a device shows when it is set up. */
export function ownCredentialRoutes(app: App): void {
  serve(app, getOwnCredential, async (c) => {
    const { credentialId, tenantCode } = await c.get('admission').granted;
    const [held] = await Promise.all([
      askObject(c.env, credentialId, async (object): Promise<Credential | null> => object.read()),
      requireActiveTenant(c.env.DB, tenantCode),
    ]);
    if (held === null) throw new Error('an admitted credential is gone');
    return succeed(c, presentOwn(held, c.get('now')));
  });
}

/** Notes the credential that a call was about, with its tenant and municipality. */
function noteCredential(c: Call, { credentialId, tenantCode, municipalities }: Credential): void {
  c.get('log').target = credentialId;
  noteAbout(c.get('log'), { tenants: [tenantCode], municipalities });
}

function answerChanged(c: Call, changed: Credential): Response {
  noteCredential(c, changed);
  return succeed(c, presentCredential(listed(changed), c.get('now')));
}

/** @throws Refusal `INVALID_REQUEST` for a scope that only the administrator gives */
function requireGivable(scopes: readonly Scope[], { mayChangeAll }: Bounds): void {
  if (officeScopeIn(scopes) !== undefined && !mayChangeAll) {
    refuseFields([{ path: 'scopes', message: OFFICE_SCOPE }]);
  }
}

const OFFICE_SCOPE = {
  en: 'only the administrator gives the scopes office and office_read',
  it: "solo l'amministratore assegna gli scope office e office_read",
};
const NO_CREDENTIAL = {
  en: 'there is no credential with this id',
  it: 'non esiste una credenziale con questo identificativo',
};
