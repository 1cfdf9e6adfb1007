-- Run-time settings: values are JSON under their own keys, and one set knows the names.
-- name: put
-- Arguments: name, key, value (JSON, or null to remove it), shown (JSON: what
-- the fact may show of it), paused (the repository or agent that it pauses). Reply: `ok`.

local before = call('GET', a.key)
if (before or cjson.null) == a.value then return reply('ok') end
if given(a.value) then
  call('SET', a.key, a.value)
  call('SADD', K.settings_names, a.name)
else
  call('DEL', a.key)
  call('SREM', K.settings_names, a.name)
end
-- Rankings from before are stale.
if given(a.paused) then
  call(a.value == 'true' and 'SADD' or 'SREM', K.maintenance_paused, a.paused)
  bump('registry_version')
end
fact('setting_changed', nil, ',"name":' .. say(a.name) .. ',"value":' .. a.shown)
return reply('ok')
