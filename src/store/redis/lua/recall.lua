-- The hand-out of a request that was claimed for it before.
-- Arguments: agentId, requestId, lockMs, takeOver (a lease of this agent that was never answered is given to
-- this request too). Reply: `leased` as a claim has it, `none`.

local unheard
for _, t in ipairs(held_by(a.agentId)) do
  if t.lease_request == a.requestId then return hand_out('leased', t, 1, given(a.lockMs) and a.lockMs) end
  if not answered(t) then unheard = unheard or t end
end
if not unheard or not a.takeOver then return reply('none') end
put(unheard, 'lease_request', a.requestId)
return hand_out('leased', unheard, 1, given(a.lockMs) and a.lockMs)
