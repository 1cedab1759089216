/// What a Redis does with the records of images. All of them are fields of one hash, so that a Redis that loses keys loses all or none: `id` says
/// which life of it this is, `n` counts, and `r` and an image's id is a record: `1 MARK SCORE OWNER` and the content. What is sorted by time
/// is an index for each owner, made again where it is missing. Deletions are kept for 90 days, so that nobody brings back what is gone.
///
/// KEYS: records, deletions; the indices are named by the owners.
enum RecordScript {
    static let keys = [RedisLink.prefix + "images", RedisLink.prefix + "images:gone"]
    static let lockPrefix = RedisLink.prefix + "images:d:"
    /// The form of a value that these scripts read, as a pattern of Lua: mark, score, owner, and where the content begins.
    private static let form = "local form='^1 (%x+) (%d+) (%S+) ()' "

    /// What the content is called: after a restart Redis may know less than before, so its run is a part of it. Nothing where there is none.
    private static let name = """
        local function life()
        local id=redis.call('HGET',KEYS[1],'id')
        local info=redis.pcall('INFO','server')
        return id and id..'.'..(type(info)=='string' and string.match(info,'run_id:(%x+)') or '') or ''
        end

        """

    /// ARGV: id for a new life, the machine's name, what it has walked. Members are those who have said the same in the last ten seconds.
    static let life =
        name + """
            local now=redis.call('TIME')[1]
            if life()=='' then redis.call('HSET',KEYS[1],'id',ARGV[1]..'-'..now) end
            local life=life()
            local made=tonumber(string.match(life,'-(%d+)')) or 0
            local info=redis.pcall('INFO','server')
            local up=type(info)=='string' and tonumber(string.match(info,'uptime_in_seconds:(%d+)')) or now
            local members=KEYS[1]..':m:'..life
            if ARGV[3]==life then
            redis.pcall('ZADD',members,now,ARGV[2])
            redis.pcall('EXPIRE',members,60)
            end
            local others=redis.pcall('ZRANGEBYSCORE',members,now-10,'+inf','LIMIT',0,1000)
            if others.err then others={} end
            table.insert(others,1,life)
            table.insert(others,2,string.format('%.0f',math.max(0,math.min(up,now-made))))
            return others
            """

    /// ARGV: id, mark, uploaded, owner, content. Newer is what was uploaded in a later second, and in one second what came later.
    static let put =
        form + """
            if redis.call('ZSCORE',KEYS[2],ARGV[1]..' '..ARGV[2]) then return 'deleted' end
            local old=redis.call('HGET',KEYS[1],'r'..ARGV[1])
            if old then
            local mark,score,owner=string.match(old,form)
            if mark==ARGV[2] then return 'known '..owner end
            if mark then return 'taken' end
            end
            local n=redis.call('HINCRBY',KEYS[1],'n',1)
            local score=string.format('%.0f',ARGV[3]*2097152+n%2097152)
            redis.call('HSET',KEYS[1],'r'..ARGV[1],'1 '..ARGV[2]..' '..score..' '..ARGV[4]..' '..ARGV[5])
            redis.pcall('ZADD',KEYS[1]..':'..ARGV[4],score,ARGV[1])
            return 'done'
            """

    /// ARGV: id, mark or nothing.
    static let find =
        name + form + """
            local value=redis.call('HGET',KEYS[1],'r'..ARGV[1])
            if value then
            local mark,score,owner,start=string.match(value,form)
            if mark then return {'found',string.sub(value,start)} end
            return {'unreadable'}
            end
            if redis.call('ZSCORE',KEYS[2],ARGV[1]..' '..ARGV[2]) then return {'deleted'} end
            return {'nothing',life()}
            """

    /// ARGV: id, mark.
    static let remove =
        form + """
            local value=redis.call('HGET',KEYS[1],'r'..ARGV[1])
            local found=0
            if value then
            local mark,score,owner=string.match(value,form)
            if mark==ARGV[2] then
            found=1
            redis.call('HDEL',KEYS[1],'r'..ARGV[1])
            redis.pcall('ZREM',KEYS[1]..':'..owner,ARGV[1])
            end
            end
            local now=redis.call('TIME')[1]
            redis.call('ZADD',KEYS[2],now,ARGV[1]..' '..ARGV[2])
            redis.call('ZREMRANGEBYSCORE',KEYS[2],'-inf',now-7776000)
            return found
            """

    /// ARGV: limit, offset, owners. The name of this life in an index, behind a blank, says that the index is whole.
    static let list =
        name + form + """
            local all,count={},0
            local last=ARGV[1]+ARGV[2]-1
            local whole=' '..(redis.call('HGET',KEYS[1],'id') or '')
            for i=3,#ARGV do
            local index=KEYS[1]..':'..ARGV[i]
            if type(redis.pcall('ZSCORE',index,whole))~='string' then
            redis.call('DEL',index)
            local fields=redis.call('HGETALL',KEYS[1])
            for j=1,#fields,2 do
            local mark,score,owner=string.match(fields[j+1],form)
            if owner==ARGV[i] and string.sub(fields[j],1,1)=='r' then redis.call('ZADD',index,score,string.sub(fields[j],2)) end
            end
            redis.call('ZADD',index,0,whole)
            end
            count=count+redis.call('ZCARD',index)-1
            local ids=redis.call('ZREVRANGE',index,0,last,'WITHSCORES')
            for j=1,#ids,2 do if ids[j]~=whole then all[#all+1]={ids[j],tonumber(ids[j+1]),index} end end
            end
            if #ARGV>3 then table.sort(all,function(a,b) return a[2]>b[2] or a[2]==b[2] and a[1]>b[1] end) end
            local page={life(),tostring(count)}
            for i=ARGV[2]+1,math.min(last+1,#all) do
            local value=redis.call('HGET',KEYS[1],'r'..all[i][1])
            local start=value and select(4,string.match(value,form))
            page[#page+1]=start and string.sub(value,start) or ''
            if not value then redis.pcall('ZREM',all[i][3],all[i][1]) end
            end
            return page
            """
}
