-- Run-time settings: values are JSON under their own keys, and one set knows the names.
-- name: put
-- Arguments: name, key, value (JSON, or null to remove it), shown (JSON: what
-- the fact may show of it). Reply: `ok`.

local before = call('GET', a.key)
if (before or cjson.null) == a.value then return reply('ok') end
if given(a.value) then
  call('SET', a.key, a.value)
  call('SADD', K.settings_names, a.name)
else
  call('DEL', a.key)
  call('SREM', K.settings_names, a.name)
end
fact('setting_changed', nil, ',"name":' .. say(a.name) .. ',"value":' .. a.shown)
return reply('ok')
